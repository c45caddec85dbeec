export * from './method.js';
export * from './registry.js';
export * from './settings.js';
export * from './shared/fold-in-users.js';
export * from './shared/solve-side.js';
export * from './train.js';
export { NoGuaranteeError, planWithoutPrivacy } from './without-privacy.js';
