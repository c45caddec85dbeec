export * from './coins.js';
export * from './faulty-disk.js';
export * from './free-port.js';
export * from './neighbours.js';
export * from './postgres.js';
export * from './rating-neighbours.js';
export * from './scripted-pure-loss.js';
export * from './scripted-recorder.js';
