// Which tests run when. `npx vitest run <file>` finds every file; `npm test` leaves out the long ones, of
// which it has one of each kind besides; `npm run test:fast` leaves out whatever starts processes, too.
//
// Where a file belongs is decided by what it took on two idle cores: long ones take 5 s or more and belong to
// a kind below.

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
      'apps/cli/src/killed-training.test.ts',
      'apps/server/src/killed-server.test.ts',
      'apps/server/src/state/database-restart.test.ts',
      'packages/federate/src/kills.test.ts',
      'packages/train/src/kills.test.ts',
    ],
    except: ['packages/ledger/src/kills.test.ts'],
  },
  faults: {
    files: ['tools/faults/*.test.ts', 'packages/ledger/src/postgres-rights.test.ts'],
    except: ['packages/train/src/fault-injection.test.ts'],
  },
  browser: {
    files: ['apps/server/src/e2e/*.test.ts', 'packages/federate/src/browser.test.ts'],
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
    ],
    except: ['apps/cli/src/readme.test.ts'],
  },
  federated: {
    files: [
      'apps/cli/src/commands/federate-circumstances.test.ts',
      'packages/federate/src/flood.test.ts',
      'packages/federate/src/node/tls-equality.test.ts',
    ],
    except: ['packages/federate/src/equality.test.ts'],
  },
};
