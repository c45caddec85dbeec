import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateStatement, FactorModel } from '@hushrec/model';
import { metricsBeside } from '@hushrec/model/folder';
import { encodeMetrics } from '@hushrec/model/making';
import { gaussianEpsilon, roundUpEpsilon } from '@hushrec/privacy';
import { SeededRandom } from '@hushrec/ratings';
import { writeModelFolder } from '../../../../packages/train/dist/publish/write-folder.js';

/** Items in four groups of taste; whoever likes one of a group likes the others. */
export const groups = ['Harbour', 'Mountain', 'Orchard', 'Railway'] as const;
const nouns = [
  'Letters',
  'Lantern',
  'Winter',
  'Stories',
  'Garden',
  'Silence',
  'Journey',
  'Morning',
  'Clockmaker',
  'Festival',
];
export const sampleItemIds = groups.flatMap((_, g) => nouns.map((_, n) => `item-${g}-${n}`));
export const sampleTitles = groups.flatMap((group) => nouns.map((noun) => `${group} ${noun}`));
export const sampleDatasetHash = 'd'.repeat(64);
export const sampleAccount = 'e'.repeat(32);
const delta = 1e-6;
/** One grey pixel. */
export const smallPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Models with planted tastes: what each must recommend is known. The private ones carry the noise in their
 * vectors that their certificates state, so that a smaller ε visibly blurs the ranking.
 */
export async function writeSampleModels(directory: string): Promise<void> {
  for (const [id, multiplier] of [
    ['sample-eps-1', 8],
    ['sample-eps-5', 2],
    ['sample-no-privacy', 0],
  ] as const) {
    const { certificate } = await writeModelFolder(join(directory, id), {
      manifest: {
        format: 'hushrec-model-2',
        method: multiplier === 0 ? 'als' : 'dpals',
        settings: { rank: groups.length },
        scale: { min: 0.5, max: 5, step: 0.5 },
        itemIds: sampleItemIds,
        titles: sampleTitles,
        links: sampleItemIds.map((id) => (id === 'item-1-1' ? 'https://shop.example/lantern' : '')),
        images: sampleItemIds.map((id) =>
          id === 'item-1-2' ? '/pictures/winter.png' : id === 'item-1-3' ? 'https://shop.example/a.png' : '',
        ),
        versions: { hushrec: '0.1.0' },
      },
      model: plantedModel(multiplier),
      certificate: statement(multiplier),
    });
    writeFileSync(
      multiplier === 0 ? join(directory, id, 'metrics.json') : metricsBeside(join(directory, id)),
      await encodeMetrics(certificate.hash, metrics(multiplier)),
    );
  }
}

/** One private model of which three quarters of the titles stand out from the noise. */
export async function writeUsefulModel(directory: string): Promise<void> {
  await writeModelFolder(directory, {
    manifest: {
      format: 'hushrec-model-2',
      method: 'dpals',
      settings: { rank: groups.length },
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: sampleItemIds,
      titles: sampleTitles,
      versions: { hushrec: '0.1.0' },
    },
    model: plantedModel(8),
    certificate: {
      ...statement(8),
      usefulness: {
        items: 40,
        itemsAboveNoise: 30,
        counts: { head: 0.1, tail: 0.4 },
        verdict: 'worth-it',
        needed: 1,
      },
    },
  });
}

/** One model without privacy of so many titles: for measuring, not for what it recommends. */
export async function writeLargeModel(directory: string, items: number): Promise<void> {
  const random = new SeededRandom(3);
  const rank = 16;
  await writeModelFolder(directory, {
    manifest: {
      format: 'hushrec-model-2',
      method: 'als',
      settings: { rank },
      scale: { min: 0.5, max: 5, step: 0.5 },
      itemIds: Array.from({ length: items }, (_, item) => `large-${item}`),
      titles: Array.from({ length: items }, (_, item) => `Title ${item}`),
      versions: { hushrec: '0.1.0' },
    },
    model: {
      kind: 'factors',
      feedback: 'explicit',
      rank,
      itemFactors: Float32Array.from({ length: items * rank }, () => random.normal()),
      itemBias: new Float32Array(items),
      popularity: Float32Array.from({ length: items }, (_, item) => items - item),
      offset: 3.5,
      foldIn: { ridge: 0.5, ridgeExponent: 0, unobservedWeight: 0 },
    },
    certificate: statement(0),
  });
}

function plantedModel(multiplier: number): FactorModel {
  const random = new SeededRandom(7 + multiplier);
  const d = groups.length;
  const itemFactors = new Float32Array(sampleItemIds.length * d);
  for (let item = 0; item < sampleItemIds.length; item++) {
    for (let k = 0; k < d; k++) {
      const planted = k === Math.floor(item / nouns.length) ? 1 : 0;
      itemFactors[item * d + k] = planted + (0.05 + 0.03 * multiplier) * random.normal();
    }
  }
  return {
    kind: 'factors',
    feedback: 'explicit',
    rank: d,
    itemFactors,
    itemBias: Float32Array.from(sampleItemIds, (_, item) => 0.02 * ((item * 7) % 10)),
    popularity: Float32Array.from(
      sampleItemIds,
      (_, item) => 1000 - 40 * (item % nouns.length) - Math.floor(item / nouns.length),
    ),
    offset: 3.5,
    foldIn: { ridge: 0.5, ridgeExponent: 0, unobservedWeight: 0 },
  };
}

export function statement(multiplier: number): CertificateStatement {
  const count = 3;
  const isPrivate = multiplier > 0;
  return {
    format: 'hushrec-certificate-2',
    method: isPrivate ? 'dpals' : 'als',
    unit: isPrivate ? 'user' : 'none',
    relation: isPrivate ? 'add-remove' : 'none',
    released: 'item vectors and biases',
    epsilon: isPrivate ? roundUpEpsilon(gaussianEpsilon(Math.sqrt(count) / multiplier, delta)) : null,
    delta: isPrivate ? delta : 0,
    accountant: isPrivate ? 'gaussian-dp' : 'none',
    releases: isPrivate
      ? [{ name: 'item-statistics', mechanism: 'gaussian', sensitivity: 1, noise: multiplier, count }]
      : [],
    simulation: false,
    account: sampleAccount,
    catalogue: 'declared',
    ledgerEntry: null,
    codeVersion: '0.1.0',
    tuning: 'fixed in advance',
  };
}

export function metrics(multiplier: number): object {
  const estimate = (value: number) => ({ value, low: value - 0.01, high: value + 0.01 });
  return {
    protocol: 'holdout',
    metrics: { rmse: estimate(0.85 + 0.01 * multiplier), mae: estimate(0.66 + 0.01 * multiplier) },
    slices: [0, 1, 2, 3, 4].map((slice) => ({
      slice,
      items: 8,
      metrics: { rmse: estimate(1 - 0.03 * slice + 0.01 * multiplier), mae: estimate(0.8 - 0.02 * slice) },
    })),
  };
}

/** A data set folder as the server sees it: the manifest alone. */
export function writeSampleDataset(directory: string, id = 'sample'): void {
  mkdirSync(join(directory, id), { recursive: true });
  const manifest = {
    format: 'hushrec-dataset-2',
    features: [],
    name: 'Sample catalogue',
    people: 1234,
    items: sampleItemIds.length,
    ratings: 56_789,
    scale: { min: 0.5, max: 5, step: 0.5 },
    hasTimes: true,
    provenance: {},
    account: { id: sampleAccount, name: 'sample' },
    contentHash: sampleDatasetHash,
    files: {},
  };
  writeFileSync(join(directory, id, 'dataset.json'), JSON.stringify(manifest));
}

/** Results of a sweep, as `hushrec compare` leaves them. */
export function writeSampleComparison(directory: string): void {
  mkdirSync(join(directory, 'sweep'), { recursive: true });
  const measured = { sd: 0.004, runs: 10, seconds: 1 };
  const rows = ['hush', 'dpals'].flatMap((method, m) =>
    [1, 5, 10, 20].flatMap((epsilon) => {
      const lost = (1 + 0.6 * m) / Math.sqrt(epsilon);
      const of = { method, unit: 'user', epsilon, delta, ...measured };
      return [
        { ...of, metric: 'rmse', mean: 0.85 + 0.05 * lost },
        { ...of, metric: 'recall@20', mean: 0.32 - 0.08 * lost },
      ];
    }),
  );
  const open = [
    { method: 'als', rmse: 0.845, recall: 0.32 },
    { method: 'popularity', rmse: 1, recall: 0.17 },
  ].flatMap(({ method, rmse, recall }) => {
    const of = { method, unit: 'none', epsilon: null, delta: 0, ...measured };
    return [
      { ...of, metric: 'rmse', mean: rmse },
      { ...of, metric: 'recall@20', mean: recall },
    ];
  });
  const cells = [...rows, ...open].map(({ method, epsilon }) => ({
    method,
    epsilon,
    slices: [1, 0.95, 0.9].map((value) => ({ rmse: value + 0.1 / (epsilon ?? 100) })),
    ...(epsilon !== null && {
      noiseToSignal: [null, 2, 0.8, 0.5, 0.25].map((ratio) => ratio && ratio / epsilon),
    }),
  }));
  writeFileSync(
    join(directory, 'sweep', 'comparison.json'),
    JSON.stringify({
      title: 'Sample sweep',
      publicData: true,
      metric: 'recall@20',
      trainedOn: { people: 400, items: 1000, ratings: 40_000, feedback: 'ratings' },
      rows: [...rows, ...open],
      cells,
    }),
  );
  writeFileSync(join(directory, 'sweep', 'report.html'), '<!doctype html><title>Sample report</title>');
}
