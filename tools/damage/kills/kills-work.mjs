// npm run kills:work [-- --count 1000] [--only importing,publishing,spending,serving,training] [--seed 1]
// [--tally kills.json] Kills work with SIGKILL at random moments, so many times each, and looks at what is
// there afterwards: nothing that was told is lost, nothing is there twice, and the next start works. Every
// fifth process (servers: all) is process 1 of a namespace of its own where the system allows it, as in a
// container. With a tally the kills are added up in a file after every fifty, and whoever is stopped goes on
// where it was.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomOf } from '../random.mjs';
import { hasNamespaces } from './killed.mjs';

export const options = {
  count: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
  tally: { type: 'string' },
};
const works = ['importing', 'publishing', 'spending', 'serving', 'training'];
/** Kills in one folder: what is looked at after each stays small. */
const groupSize = 50;

export function targetsOf({ count, seed, tally: file }) {
  const tally = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const keep = () => file && writeFileSync(file, `${JSON.stringify(tally, undefined, 2)}\n`);
  const run = (name) => async (report) => {
    tally[name] ??= { kills: 0, asProcessOne: 0, faults: [], rounds: 0 };
    const total = tally[name];
    let told = 0;
    for (;;) {
      for (const { round, what } of total.faults.slice(told))
        report.fault(`round ${round} of seed ${seed}`, what, 0);
      told = total.faults.length;
      if (total.kills >= Number(count)) break;
      Object.assign(total, await killGroup(name, structuredClone(total), { count, seed }));
      keep();
    }
    for (let kill = 0; kill < total.kills; kill++) report.tried('killed, looked at and started again');
    report.fact(
      'first',
      hasNamespaces ? `${total.asProcessOne} as process 1` : 'none as process 1: no namespaces here',
    );
  };
  return { targets: works.map((name) => ({ name, run: run(name) })) };
}

/** Up to fifty kills in a folder of their own, added to what was there before. */
async function killGroup(name, total, { count, seed }) {
  const folder = mkdtempSync(join(tmpdir(), `hushrec-kills-${name}-`));
  try {
    const { [name]: begin } = await import(`./kinds/${name}.mjs`);
    const kill = await begin(folder);
    const most = Math.min(groupSize, count - total.kills);
    for (let kills = 0; kills < most; ) {
      const round = total.rounds++;
      const asFirst = hasNamespaces && (total.kills + kills) % 5 === 0;
      const how = { asFirst, random: randomOf(Number(seed), round) };
      const {
        fault,
        wasKilled = true,
        isFirst = asFirst,
      } = await kill(round, how).catch((error) => ({
        fault: `${error.name}: ${error.message}`,
      }));
      // Training that came to its end before its kill is looked at too, and not counted.
      if (wasKilled) {
        kills++;
        if (isFirst) total.asProcessOne++;
      }
      if (fault !== undefined) total.faults.push({ round, what: fault });
    }
    total.kills += most;
    return total;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
