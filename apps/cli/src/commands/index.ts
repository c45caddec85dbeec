import type { Command } from 'commander';

type Register = (program: Command) => void;

/** Every command, in the order of the help: loaded when it is asked for, so that one does not pay for all. */
export const commands: Readonly<Record<string, () => Promise<Register>>> = {
  generate: async () => (await import('./generate.js')).registerGenerate,
  import: async () => (await import('./import.js')).registerImport,
  forget: async () => (await import('./forget.js')).registerForget,
  methods: async () => (await import('./methods.js')).registerMethods,
  train: async () => (await import('./train.js')).registerTrain,
  refresh: async () => (await import('./refresh.js')).registerRefresh,
  rollback: async () => (await import('./rollback.js')).registerRollback,
  split: async () => (await import('./split.js')).registerSplit,
  evaluate: async () => (await import('./evaluate.js')).registerEvaluate,
  recommend: async () => (await import('./recommend.js')).registerRecommend,
  compare: async () => (await import('./compare.js')).registerCompare,
  reproduce: async () => (await import('./reproduce.js')).registerReproduce,
  privacy: async () => (await import('./privacy.js')).registerPrivacy,
  verify: async () => (await import('./verify.js')).registerVerify,
  card: async () => (await import('./card.js')).registerCard,
  audit: async () => (await import('./audit.js')).registerAudit,
  ledger: async () => (await import('./ledger.js')).registerLedger,
  serve: async () => (await import('./serve.js')).registerServe,
  federate: async () => (await import('./federate.js')).registerFederate,
};
