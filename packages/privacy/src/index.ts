export * from './event.js';
export * from './privacy-unit.js';
export * from './release-plan.js';
export * from './release-recorder.js';
export { type Released, type Sensitive, sensitive } from './released.js';
export * from './units.js';
