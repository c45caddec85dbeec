export * from './csr.js';
export * from './engine.js';
