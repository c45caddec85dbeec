// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { auditExchange, type ExchangeAudit, exchangeFaults } from './audit-exchange.js';
export { type AuditReport, type AuditRequest, auditMethod } from './audit-method.js';
export { auditOneRun } from './audit-one-run.js';
export { canaryKinds } from './canaries.js';
export type { WidenedClip } from './without-clips.js';
