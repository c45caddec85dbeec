// `npm run kills [-- N]`: N (300) SIGKILLs each of training calls, spending processes and roles of federated
// runs, a tenth of that (at least 20) of each door (train, library, import, refresh, serve, party and
// coordinator) and of a whole federation, and what they may not do. All but the last are tests; the runner
// counts the kills that they say.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { killFederation } from './federation.mjs';

export const options = {};
const root = fileURLToPath(new URL('../../..', import.meta.url));
const tests = {
  calls: 'packages/train/src/kills.test.ts',
  spending: 'packages/ledger/src/kills.test.ts',
  roles: 'packages/federate/src/kills.test.ts',
  doors: 'apps/cli/src/killed-training.test.ts',
  parties: 'apps/cli/src/commands/killed-party.test.ts',
};

export function targetsOf(_, [kills = '300']) {
  const targets = Object.entries(tests).map(([name, file]) => ({
    name,
    what: file,
    run: async (report) => runTests(file, kills, report),
  }));
  const isNumber = /^[1-9][0-9]*$/.test(kills);
  targets.push({
    name: 'federation',
    what: 'roles as commands that talk TLS',
    run: (report) => killFederation(Math.max(20, Number(kills) / 10), report),
  });
  return { targets, ...(!isNumber && { whyNot: `${kills}: expected a number of kills.` }) };
}

function runTests(file, kills, report) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-kills-'));
  const said = join(folder, 'tests.json');
  try {
    const { status } = spawnSync(
      'npx',
      [
        '--no-install',
        'vitest',
        'run',
        file,
        '--reporter=default',
        '--reporter=json',
        `--outputFile=${said}`,
      ],
      { cwd: root, stdio: 'inherit', env: { ...process.env, HUSHREC_KILLS: kills } },
    );
    const { testResults } = JSON.parse(readFileSync(said, 'utf8'));
    for (const { fullName, status: ended, failureMessages } of testResults.flatMap(
      (each) => each.assertionResults,
    ))
      if (ended === 'failed') report.fault(`${kills}, ${fullName}`, failureMessages.join(' ').slice(0, 600));
      else report.tried(ended, Number(/(\d+) kills/.exec(fullName)?.[1] ?? 1));
    if (status !== 0 && report.faults.length === 0) report.fault(file, `the tests ended with ${status}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
