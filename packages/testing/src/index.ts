export * from './neighbours.js';
export * from './postgres.js';
