// npm run kills:work [-- --count 1000] [--only importing,publishing,spending,serving,training] [--seed 1]
// [--tally kills.json] Kills work with SIGKILL at random moments, so many times each, and looks at what is
// there afterwards: nothing that was told is lost, nothing is there twice, and the next start works. Every
// fifth process (servers: all) is process 1 of a namespace of its own where the system allows it, as in a
// container. With a tally the kills are added up in a file after every fifty, and whoever is stopped goes on
// where it was. Exit code 1 when anything was wrong.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from '../fuzz/random.mjs';
import { hasNamespaces } from './killed.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'importing,publishing,spending,serving,training' },
    seed: { type: 'string', default: '1' },
    tally: { type: 'string' },
  },
});
const count = Number(values.count);
/** Kills in one folder: what is looked at after each stays small. */
const groupSize = 50;
const tally = values.tally && existsSync(values.tally) ? JSON.parse(readFileSync(values.tally, 'utf8')) : {};

/** Up to fifty kills in a folder of their own, added to what was there before. */
async function killGroup(name, total) {
  const folder = mkdtempSync(join(tmpdir(), `hushrec-kills-${name}-`));
  try {
    const { [name]: begin } = await import(`./kinds/${name}.mjs`);
    const kill = await begin(folder);
    const most = Math.min(groupSize, count - total.kills);
    for (let kills = 0; kills < most; ) {
      const round = total.rounds++;
      const asFirst = hasNamespaces && (total.kills + kills) % 5 === 0;
      const how = { asFirst, random: randomOf(Number(values.seed), round) };
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
      if (fault === undefined) continue;
      total.faults++;
      if (total.faults <= 5) console.log(`  ${name}, round ${round} of seed ${values.seed}: ${fault}`);
    }
    total.kills += most;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let faults = 0;
for (const name of values.only.split(',')) {
  tally[name] ??= { kills: 0, asProcessOne: 0, faults: 0, rounds: 0, seconds: 0 };
  const total = tally[name];
  while (total.kills < count) {
    const began = Date.now();
    const before = { ...total };
    await killGroup(name, total).catch((error) => {
      Object.assign(total, before);
      throw error;
    });
    total.seconds += (Date.now() - began) / 1000;
    if (values.tally) writeFileSync(values.tally, `${JSON.stringify(tally, undefined, 2)}\n`);
  }
  faults += total.faults;
  const first = hasNamespaces
    ? `${total.asProcessOne} as process 1`
    : 'none as process 1: no namespaces here';
  console.log(
    `${name}: ${total.kills} kills, ${first}, ${total.faults} faults, ${total.seconds.toFixed(0)} s`,
  );
}
process.exitCode = faults === 0 ? 0 : 1;
