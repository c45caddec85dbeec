export * from './experiment.js';
export { experiments } from './experiments.js';
