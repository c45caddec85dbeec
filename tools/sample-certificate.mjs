// What a certificate states, for tools that publish models which no data went into.
import { certificateFormat } from '@hushrec/model/making';

export const sampleStatement = {
  format: certificateFormat,
  method: 'dpals',
  unit: 'user',
  relation: 'add-remove',
  released: 'item vectors',
  epsilon: 9.99726,
  delta: 1e-5,
  accountant: 'gaussian-dp',
  releases: [{ name: 'item statistics', mechanism: 'gaussian', sensitivity: 2, noise: 2, count: 4 }],
  simulation: false,
  account: 'a'.repeat(32),
  catalogue: 'declared',
  ledgerEntry: null,
  codeVersion: '0.1.0',
  tuning: 'fixed in advance.',
};
