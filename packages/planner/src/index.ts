export * from './forecast.js';
export * from './forecast-range.js';
export { countsOfModel, type KnownCounts } from './known-counts.js';
export * from './plan-words.js';
export * from './quality-range.js';
export * from './reference-run.js';
export * from './reference-runs.js';
export * from './refreshes.js';
