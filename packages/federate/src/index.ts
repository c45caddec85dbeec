export * from './average-profiles.js';
export * from './coordinator.js';
export * from './messages.js';
export * from './party.js';
export * from './share-out.js';
export * from './simulate.js';
export * from './sum-contributions.js';
export * from './transport.js';
