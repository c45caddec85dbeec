export * from './neighbours.js';
export * from './postgres.js';
export * from './scripted-recorder.js';
