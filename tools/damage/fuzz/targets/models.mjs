// Model folders, as bytes: whatever is accepted must be exactly what was published. Half of the cases are
// sealed again after the damage, as a careless or a careful hand would: then the model must be refused or
// give finite recommendations.
import { decodePublished, fileNames, verifyPublished } from '@hushrec/model';
import { readableJson } from '@hushrec/model/signing';
import { Recommender } from '@hushrec/recommend';
import { encodePublished } from '../../../../packages/train/dist/publish/encode-published.js';
import { sealCertificate } from '../../../../packages/train/dist/publish/seal-certificate.js';
import { sampleStatement } from '../../../sample-certificate.mjs';
import { mutated } from '../mutate.mjs';

const items = 12;
const vector = (length) => Float32Array.from({ length }, (_, k) => Math.sin(k + 1));
const models = [
  {
    kind: 'factors',
    feedback: 'explicit',
    rank: 3,
    itemFactors: vector(3 * items),
    itemBias: vector(items),
    popularity: vector(items),
    offset: 3.5,
    foldIn: { ridge: 1, ridgeExponent: 0.5, interceptRidge: 2, unobservedWeight: 0 },
  },
  {
    kind: 'factors',
    feedback: 'implicit',
    rank: 2,
    itemFactors: vector(2 * items),
    offset: 0,
    foldIn: { ridge: 0.1, ridgeExponent: 1, ridgeCountOffset: 3, unobservedWeight: 0.2 },
  },
  {
    kind: 'neighbours',
    feedback: 'explicit',
    k: 2,
    neighbours: Int32Array.from({ length: 2 * items }, (_, k) => (k * 5 + 1) % items),
    similarities: vector(2 * items),
    itemBias: vector(items),
    offset: 3,
    userShrinkage: 5,
  },
  { kind: 'baseline', feedback: 'explicit', offset: 3, itemBias: vector(items), userShrinkage: 2 },
];
const manifest = {
  format: 'hushrec-model-2',
  method: 'dpals',
  settings: { rank: 3 },
  scale: { min: 0.5, max: 5, step: 0.5 },
  itemIds: Array.from({ length: items }, (_, k) => `item-${k}`),
  titles: Array.from({ length: items }, (_, k) => `Title ${k}`),
  versions: { hushrec: '0.1.0' },
};

export async function prepare() {
  const published = [];
  for (const model of models) {
    const files = await encodePublished({ manifest, model, certificate: sampleStatement });
    published.push({ files, text: canonical(await decodePublished(files)) });
  }
  return {
    attempt: async (random) => {
      const { files, text } = random.pick(published);
      const damaged = new Map(files);
      const name = random.pick([...files.keys()]);
      damaged.set(name, new Uint8Array(mutated(files.get(name), random)));
      const isSealed = name !== fileNames.certificate && random.chance(0.5);
      if (isSealed) await sealAgain(damaged);
      const opened = await decodePublished(damaged).catch((error) => error);
      const verified = await verifyPublished(damaged).catch((error) => error);
      if (verified instanceof Error) return `! verify threw ${verified.name}: ${verified.message}`;
      if (opened instanceof Error) {
        if (opened.kind !== 'data') return `! raw ${opened.name}: ${opened.message}`;
        return verified.ok
          ? `! verified what does not open: ${opened.message}`
          : isSealed
            ? 'refused, sealed'
            : 'refused';
      }
      if (!isSealed) {
        const isSame = canonical(opened) === text && sameBytes(files, damaged);
        // The words are the certificate's shadow: to open a model they are covered by its hash.
        return isSame ? 'unchanged' : `! accepted changed ${name}`;
      }
      return usable(opened) ?? 'opened, sealed';
    },
  };
}

async function sealAgain(files) {
  files.delete(fileNames.certificate);
  const certificate = await sealCertificate(sampleStatement, files);
  files.set(fileNames.certificate, new TextEncoder().encode(readableJson(certificate)));
}

/** Why recommendations from it are no finite numbers. */
function usable({ manifest: about, model }) {
  try {
    const { itemIds, titles, scale } = about;
    const recommender = new Recommender({
      model,
      itemIds,
      ...(titles && { titles }),
      ...(scale && { scale }),
    });
    const history = itemIds.slice(0, 3).map((id) => ({ id, rating: scale?.min ?? 1 }));
    for (const own of [[], history.slice(0, 1), history])
      for (const { score } of recommender.recommend(own, { k: 5 }).items)
        if (!Number.isFinite(score)) return `! a score is ${score}`;
    return undefined;
  } catch (error) {
    return error.kind === 'data' || error.kind === 'usage'
      ? undefined
      : `! recommending: ${error.name}: ${error.message}`;
  }
}

const sameBytes = (a, b) => [...a].every(([name, bytes]) => Buffer.compare(bytes, b.get(name)) === 0);

function canonical({ manifest: about, model }) {
  return JSON.stringify([about, model], (_, value) =>
    ArrayBuffer.isView(value) ? [...value].map(String) : value,
  );
}
