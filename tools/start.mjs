// The README's start command: installs, builds, makes sample data, trains models without and with privacy,
// prints what privacy costs, and serves the page. Everything it makes goes to .hushrec/ and is reused the
// next time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';

const began = performance.now();
const root = fileURLToPath(new URL('..', import.meta.url));
const place = `${root}.hushrec`;
const [data, models, reports] = ['data', 'models', 'reports'].map((name) => `${place}/${name}`);
const epsilons = [0.1, 0.3, 1, 3, 10];
const port = process.argv.includes('--port') ? process.argv[process.argv.indexOf('--port') + 1] : '7717';
/** `--no-serve` ends after the report; the tests use it. */
const serves = !process.argv.includes('--no-serve');

install();
console.error('Building …');
const { build } = await import('./build.mjs');
build();

// The sample shop has a ledger of its own: what is tried here is nobody's budget.
const env = { ...process.env, XDG_STATE_HOME: `${place}/state`, LOCALAPPDATA: `${place}/state` };
delete env.HUSHREC_LEDGER;

function hushrec(...args) {
  const { status } = spawnSync(process.execPath, [`${root}apps/cli/bin/hushrec.js`, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
/**
 * Trains without the details, which the certificate in the model folder has: the promise, and whether it is
 * worth it.
 */
function train(out, ...args) {
  if (existsSync(out)) return;
  const run = spawnSync(
    process.execPath,
    [`${root}apps/cli/bin/hushrec.js`, 'train', `${data}/sample`, '--out', out, ...args],
    { cwd: root, env, encoding: 'utf8' },
  );
  if (run.status !== 0) {
    process.stderr.write(run.stderr);
    process.exit(run.status ?? 1);
  }
  const [made, promise, verdict] = run.stdout.split('\n');
  console.log(
    [made, promise, ...(/^(Worth it|Weak|Too noisy|The same list)/.test(verdict) ? [verdict] : [])].join(' '),
  );
}
const say = (line) => console.error(`\n${line}`);

if (!existsSync(`${data}/sample/dataset.json`)) {
  say('1/4  A sample shop: 20,000 invented people rate 341 real books and films that nobody owns any more');
  hushrec('generate', `${data}/sample`, '--recipe', 'classics', '--people', '20000');
}
say(
  '2/4  What privacy costs: of what people liked and the models have not seen, how much is among 20 titles (recall@20, higher is better)',
);
hushrec(
  'compare',
  `${data}/sample`,
  '--methods',
  'popularity,ials,ease,hush',
  '--epsilons',
  epsilons.join(','),
  '--repeats',
  '1',
  '--delta',
  '1e-6',
  '--people',
  '20000',
  '--out',
  `${reports}/sample`,
);
say(
  `3/4  Models to try: one without privacy, and ${epsilons.length} with it, from mostly formal (ε = 10) to so strong that noise decides (ε = 0.1)`,
);
train(`${models}/no-privacy`, '--method', 'ease', '--goal', 'rank');
for (const epsilon of epsilons)
  train(`${models}/hush-epsilon-${epsilon}`, '--epsilon', String(epsilon), '--people', '20000');
say(
  `4/4  The page, after ${Math.round((performance.now() - began) / 1000)} seconds: open the address below in a browser. With your own data: docs/guides/shop.md`,
);
const published = ['--published-now', 'hush-epsilon-1'];
if (serves)
  hushrec('serve', '--models', models, ...published, '--data', data, '--reports', reports, '--port', port);
