import type { CertificateStatement } from './certificate.js';
import type { ItemModel } from './item-model.js';
import { modelFormat, type PublishedRun, type UnpublishedModel } from './published-model.js';

/** Four rounds at σ = Δ: ε = 9.997256 at δ = 1e-5 by the exact Gaussian curve. */
export const exampleStatement: CertificateStatement = {
  format: 'hushrec-certificate-2',
  method: 'dpals',
  unit: 'user',
  relation: 'add-remove',
  released: 'item vectors',
  epsilon: 9.99726,
  delta: 1e-5,
  accountant: 'gaussian-dp',
  releases: [{ name: 'item-statistics', mechanism: 'gaussian', sensitivity: 2, noise: 2, count: 4 }],
  simulation: false,
  account: 'd'.repeat(32),
  catalogue: 'declared',
  ledgerEntry: null,
  codeVersion: '0.1.0',
  tuning: 'fixed in advance.',
};

export const exampleFactors = {
  kind: 'factors',
  feedback: 'explicit',
  rank: 2,
  itemFactors: Float32Array.of(1, 2, 3, 4, 5, 6),
  itemBias: Float32Array.of(0.5, -0.5, 0.25),
  popularity: Float32Array.of(9, 8, 7),
  offset: 3.5,
  foldIn: { ridge: 1, ridgeExponent: 0.5, unobservedWeight: 0 },
} as const satisfies ItemModel;

/** What a manifest says of a run, as far as every one says it. */
export const exampleRun: PublishedRun = {
  epsilon: 10,
  delta: 1e-5,
  accounting: 'exact',
  scale: { min: 0.5, max: 5, step: 0.5 },
  publicSeed: 4,
  kernel: 'simd',
  node: '20',
  sources: [],
};

export function exampleModel(
  model: ItemModel = exampleFactors,
  certificate: CertificateStatement = exampleStatement,
): UnpublishedModel {
  return {
    manifest: {
      format: modelFormat(model),
      method: certificate.method,
      settings: { rank: 2, centre: true },
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: ['a', 'b', 'ü'],
      titles: ['A', '', 'Ü'],
      versions: { hushrec: '0.1.0' },
    },
    model,
    certificate,
  };
}
