// Which tests run when. `npx vitest run <file>` finds every file; `npm test` leaves out the long ones except
// one of each kind; `npm run test:rest` runs what `npm test` leaves out, `npm run test:all` everything, and
// `npm run test:fast` the short tests of packages and papers.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Of each kind, the files that only `npm run test:all` runs, and the one of that kind that `npm test` has.
 */
export const longTests = {
  statistical: {
    files: ['**/*.stat.test.ts', 'papers/am-ssp/experiments/sums-or-gradients.test.ts'],
    except: ['packages/privacy/src/samplers/discrete-gaussian.stat.test.ts'],
  },
  neighbours: {
    files: ['packages/train/src/neighbours.test.ts'],
    except: ['apps/cli/src/with-and-without.test.ts'],
  },
  kills: {
    files: [
      'apps/cli/src/commands/killed-party.test.ts',
      'apps/cli/src/killed-training.test.ts',
      'apps/cli/src/thirty-nights.test.ts',
      'apps/server/src/killed-server.test.ts',
      'apps/server/src/state/database-restart.test.ts',
      'packages/federate/src/kills.test.ts',
      'packages/train/src/kills.test.ts',
    ],
    except: ['packages/ledger/src/kills.test.ts'],
  },
  faults: {
    files: ['tools/damage/faults/*.test.ts', 'packages/ledger/src/postgres-rights.test.ts'],
    except: ['packages/train/src/fault-injection.test.ts'],
  },
  browser: {
    files: [
      'apps/server/src/e2e/*.test.ts',
      'apps/server/src/proxies.test.ts',
      'packages/federate/src/browser.test.ts',
    ],
    except: ['apps/server/src/e2e/try-it-page.test.ts'],
  },
  cluster: {
    files: ['apps/cli/src/spark.test.ts', 'apps/cli/src/spark-tables.test.ts'],
    except: ['packages/cluster/src/worker/worker.test.ts'],
  },
  guides: {
    files: [
      'apps/cli/src/guides.test.ts',
      'apps/cli/src/commands/federate-guide.test.ts',
      'apps/cli/src/commands/federate-site-guide.test.ts',
      'tools/readme-block.test.ts',
    ],
    except: ['apps/cli/src/readme.test.ts'],
  },
  published: {
    files: ['packages/train/src/publish/published-fields.test.ts', 'tools/python-package.test.ts'],
    except: ['tools/packages.test.ts'],
  },
  federated: {
    files: [
      'apps/cli/src/commands/federate-charge.test.ts',
      'apps/cli/src/commands/federate-circumstances.test.ts',
      'apps/cli/src/commands/federate-several-runs.test.ts',
      'packages/federate/src/circumstances.test.ts',
      'packages/federate/src/flood.test.ts',
      'packages/federate/src/node/tls-equality.test.ts',
    ],
    except: ['packages/federate/src/equality.test.ts'],
  },
  server: {
    files: [
      'apps/server/src/abuse.test.ts',
      'apps/server/src/training-runs.test.ts',
      'apps/server/src/what-viewers-see.test.ts',
    ],
    except: ['apps/server/src/http-interface.test.ts'],
  },
  accounts: {
    files: ['apps/cli/src/same-people.test.ts'],
    except: ['apps/cli/src/commands/ledger.test.ts'],
  },
  methods: {
    files: ['papers/shared/idle-settings.test.ts', 'papers/shared/people-anywhere.test.ts'],
    except: ['papers/shared/user-level-methods.test.ts'],
  },
};

/**
 * Files of packages and papers that took 2.5 s or more, which `npm run test:fast` leaves out. The others run
 * one after another in one process, and share what they import (vitest.config.ts).
 */
export const slowTests = [
  'packages/cluster/src/node-archive.test.ts',
  'packages/evaluate/src/sweep/side-by-side.test.ts',
  'packages/factorize/src/hush/hush.test.ts',
  'packages/federate/src/liars.test.ts',
  'packages/federate/src/norm-proofs.test.ts',
  'packages/federate/src/screening.test.ts',
  'packages/federate/src/simulate-run.test.ts',
  'packages/ledger/src/full-disk.test.ts',
  'packages/ledger/src/ledger.test.ts',
  'packages/ledger/src/long-ledger.test.ts',
  'packages/numerics/src/engine-threads.test.ts',
  'packages/numerics/src/float32-accuracy.test.ts',
  'packages/numerics/src/kernels/contract/solve-rows.test.ts',
  'packages/numerics/src/kernels/contract/top-k.test.ts',
  'packages/ratings/src/formats/arrow.test.ts',
  'packages/ratings/src/hash-in-parts.test.ts',
  'packages/ratings/src/import-source.test.ts',
  'packages/statistics/src/people/people.test.ts',
  'packages/testing/src/import-postgres.test.ts',
  'packages/train/src/publish/verify.test.ts',
  'packages/train/src/refreshes.test.ts',
  'packages/train/src/train-and-publish.test.ts',
  'papers/shared/user-level-methods.test.ts',
];

const kinds = Object.values(longTests);
const isExcepted = (file) => kinds.some(({ except }) => except.includes(file));

/**
 * The tier of a test file: `rest` (long), `usual` (`npm test` alone) or `fast` (`npm test` and
 * `npm run test:fast`).
 *
 * @param {string} file its path from the root, with slashes
 * @returns {'fast' | 'usual' | 'rest'}
 */
export function tierOf(file) {
  if (isExcepted(file)) return 'usual';
  if (kinds.some(({ files }) => files.some((pattern) => matches(file, pattern)))) return 'rest';
  return /^(apps|tools)\//.test(file) || slowTests.includes(file) ? 'usual' : 'fast';
}

/** Whether a path fits a pattern with `*` (within a name) and `**\/` (any folders). */
export function matches(file, pattern) {
  const expression = pattern.replace(/\*\*\/|[*.]/g, (found) =>
    found === '*' ? '[^/]*' : found === '.' ? '\\.' : '(?:.*/)?',
  );
  return new RegExp(`^${expression}$`).test(file);
}

/** Every test file that vitest.config.ts includes, in order. */
export function testFiles(root) {
  const found = [];
  const look = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!['node_modules', 'dist'].includes(entry.name)) look(path);
      } else if (entry.name.endsWith('.test.ts')) found.push(path);
    }
  };
  for (const folder of ['apps', 'packages', 'papers', 'tools']) look(folder);
  return found.sort();
}

/**
 * The files that a command runs.
 *
 * @param {'fast' | 'usual' | 'rest' | 'all'} command
 */
export function filesOf(command, root) {
  const tiers = { fast: ['fast'], usual: ['fast', 'usual'], rest: ['rest'], all: ['fast', 'usual', 'rest'] };
  if (tiers[command] === undefined)
    throw new Error(`There is no tier '${command}': ${Object.keys(tiers).join(', ')}.`);
  return testFiles(root).filter((file) => tiers[command].includes(tierOf(file)));
}
