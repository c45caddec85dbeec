export { createLog, type Log } from './request-log.js';
export { defaultLimits, type Limits } from './server-context.js';
export { type RunningServer, type ServerOptions, ServerStartError, startServer } from './start-server.js';
export type { Run, RunRequest, RunStatus } from './state/run.js';
export { openRunStore, type RunStore, StateDamagedError, StateInUseError } from './state/run-store.js';
