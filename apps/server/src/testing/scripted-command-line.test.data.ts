import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ledgerPackage = pathToFileURL(createRequire(import.meta.url).resolve('@hushrec/ledger')).href;

/**
 * A module in the place of the command line. What a run does is scripted by the name of its model: `slow-…`
 * goes on until it is stopped (and is quick when resumed), `failing-…` fails with a message, `crashing-…`
 * dies without a word, `stubborn-…` ignores being stopped; anything else reports progress and finishes. 30 of
 * 40 titles stand out from each model; one that is held back leaves an empty folder. `parting-…` and
 * `judged-…` leave a copy of the model in `whole` of the same folder, which no later training overwrites;
 * the first kills the server as soon as it is there, the second where its quality is measured, both once.
 * Grants and refusals are written to the ledger.
 */
export function writeScriptedCommandLine(folder: string): string {
  const file = join(folder, 'command-line.mjs');
  writeFileSync(
    file,
    `import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';\nimport { basename } from 'node:path';
export async function main(args) {
  const option = (name) => args.find((each) => each.startsWith('--' + name + '='))?.slice(name.length + 3);
  if (args[0] === 'ledger') {
    const { defaultLedgerLocation, openLedger } = await import(${JSON.stringify(ledgerPackage)});
    const { account } = JSON.parse(readFileSync(args[2] + '/dataset.json', 'utf8'));
    const ledger = await openLedger(defaultLedgerLocation(), { create: true });
    const protection = { unit: 'user', relation: 'add-remove' };
    const [epsilon, delta] = ['epsilon', 'delta'].map((name) => Number(option(name)));
    if (args[1] === 'grant') await ledger.grant(account.id, { epsilon, delta, protection, note: option('note') });
    else await ledger.refuse(account.id, option('note'));
    await ledger.close();
    return 0;
  }
  const killServerOnce = (model) => {
    if (existsSync(model + '.killed')) return;
    writeFileSync(model + '.killed', '');
    process.kill(process.ppid, 'SIGKILL');
  };
  if (args[0] === 'evaluate') {
    if (basename(args[1]).startsWith('judged-')) killServerOnce(args[1]);
    process.stdout.write(JSON.stringify({ protocol: 'holdout', metrics: { rmse: { value: 0.9, low: 0.8, high: 1 } }, slices: [] }));
    return 0;
  }
  const out = option('out');
  const behaviour = basename(out).split('-')[0];
  const isWhole = behaviour === 'parting' || behaviour === 'judged';
  if (isWhole && existsSync(out)) { process.stderr.write('hushrec train: ' + out + ' exists.\\n'); return 4; }
  appendFileSync(out + '.starts', args.includes('--resume') ? 'resume\\n' : 'start\\n');
  const progress = (stage, done, total, live) =>
    process.stderr.write(JSON.stringify({ stage, done, total, live: live || undefined }) + '\\n');
  let stopped = false;
  process.on('SIGTERM', () => { stopped = true; });
  progress('reading', 1, 1);
  if (behaviour === 'crashing') process.kill(process.pid, 'SIGKILL');
  if (behaviour === 'failing') { process.stderr.write('hushrec train: ' + out + ' exists.\\n'); return 4; }
  const rounds = (behaviour === 'slow' || behaviour === 'stubborn') && !args.includes('--resume') ? 2000 : 3;
  writeFileSync(out + '.pid', String(process.pid));
  for (let round = 1; round <= rounds; round++) {
    progress('training', round, rounds, round > 1 && { releases: ['item-counts', 'taste-vectors-round-1'], items: 40, itemsAboveNoise: 30, fifths: [null, 0.7, 1.6, 2.9, 4.1] });
    await new Promise((resolve) => setTimeout(resolve, 30));
    if (stopped && behaviour !== 'stubborn') { writeFileSync(out + '.cleaned', 'yes'); return 130; }
  }
  if (isWhole) cpSync(${JSON.stringify(join(folder, 'whole'))}, out, { recursive: true });
  if (behaviour === 'parting') killServerOnce(out);
  process.stdout.write(JSON.stringify({ model: out, method: option('method'), epsilon: Number(option('epsilon')), note: option('note'), plan: option('plan'), told: args.includes('--record-unprotected'), usefulness: { items: 40, itemsAboveNoise: 30 }, seconds: 1 }));
  if (out.includes('.held')) mkdirSync(out, { recursive: true });
  return 0;
}
`,
  );
  return file;
}
