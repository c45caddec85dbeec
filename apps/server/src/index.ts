// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { createLog, type Log } from './request-log.js';
export { defaultLimits, type Limits } from './server-context.js';
export { type RunningServer, type ServerOptions, ServerStartError, startServer } from './start-server.js';
export { openRunStore } from './state/open-run-store.js';
export type { Run, RunRequest, RunStatus } from './state/run.js';
export { type RunStore, StateDamagedError, StateInUseError } from './state/run-store.js';
