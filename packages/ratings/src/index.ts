export * from './rating-matrix.js';
