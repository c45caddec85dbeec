export * from './certificate.js';
export * from './item-model.js';
