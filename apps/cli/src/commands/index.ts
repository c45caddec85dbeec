import type { Command } from 'commander';
import { registerAudit } from './audit.js';
import { registerCard } from './card.js';
import { registerCompare } from './compare.js';
import { registerEvaluate } from './evaluate.js';
import { registerFederate } from './federate.js';
import { registerForget } from './forget.js';
import { registerGenerate } from './generate.js';
import { registerImport } from './import.js';
import { registerLedger } from './ledger.js';
import { registerMethods } from './methods.js';
import { registerPrivacy } from './privacy.js';
import { registerRecommend } from './recommend.js';
import { registerRefresh } from './refresh.js';
import { registerReproduce } from './reproduce.js';
import { registerRollback } from './rollback.js';
import { registerServe } from './serve.js';
import { registerSplit } from './split.js';
import { registerTrain } from './train.js';
import { registerVerify } from './verify.js';

/** Every command, in the order of the help. Each registers itself; heavy packages are loaded when it runs. */
export const commands: readonly ((program: Command) => void)[] = [
  registerGenerate,
  registerImport,
  registerForget,
  registerMethods,
  registerTrain,
  registerRefresh,
  registerRollback,
  registerSplit,
  registerEvaluate,
  registerRecommend,
  registerCompare,
  registerReproduce,
  registerPrivacy,
  registerVerify,
  registerCard,
  registerAudit,
  registerLedger,
  registerServe,
  registerFederate,
];
