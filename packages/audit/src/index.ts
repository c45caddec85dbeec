export * from './audit-exchange.js';
export * from './audit-method.js';
export * from './audit-one-run.js';
export { type CanaryKind, canaryKinds, type Neighbours, neighbours } from './canaries.js';
export * from './many-run-bound.js';
export * from './one-run-bound.js';
export type { AuditPower } from './power.js';
export { NoClipsError, type WidenedClip } from './without-clips.js';
