// `npm run kills [-- N]`: N (300) SIGKILLs each of training calls, spending processes and roles of federated
// runs, a tenth of that (at least 20) of each door (train, library, import, refresh, serve, party and
// coordinator), and what they may not do.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const kills = process.argv[2] ?? '300';
if (!/^[1-9][0-9]*$/.test(kills)) {
  console.error(`${kills}: expected a number of kills.`);
  process.exit(2);
}
const { status } = spawnSync(
  'npx',
  [
    '--no-install',
    'vitest',
    'run',
    'packages/train/src/kills.test.ts',
    'packages/ledger/src/kills.test.ts',
    'packages/federate/src/kills.test.ts',
    'apps/cli/src/killed-training.test.ts',
    'apps/cli/src/commands/killed-party.test.ts',
  ],
  {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, HUSHREC_KILLS: kills },
  },
);
process.exit(status ?? 1);
