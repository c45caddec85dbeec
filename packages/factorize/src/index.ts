export * from './method.js';
export * from './settings.js';
