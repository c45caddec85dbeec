import {
  CorruptModelError,
  decodePublished,
  fileNames,
  type ItemModel,
  PublicationError,
} from '@hushrec/model';
import { describe, expect, it } from 'vitest';
import {
  exampleFactors,
  exampleModel,
  exampleStatement,
} from '../../../model/src/example-model.test.data.js';
import { encodePublished } from './encode-published.js';

const neighbours: ItemModel = {
  kind: 'neighbours',
  feedback: 'implicit',
  k: 2,
  neighbours: Int32Array.of(1, 2, 0, -1, 0, 1),
  similarities: Float32Array.of(0.9, 0.8, 0.9, 0, 0.8, 0.1),
  offset: 0,
  userShrinkage: 5,
};
const baseline: ItemModel = {
  kind: 'baseline',
  feedback: 'explicit',
  offset: 3,
  itemBias: Float32Array.of(1, 0, -1),
  userShrinkage: 10,
  users: { ids: ['u1'], factors: new Float32Array(0), bias: Float32Array.of(0.1) },
};
const logistic: ItemModel = { ...exampleFactors, loss: { kind: 'logistic', likedFrom: 4 } };
const poisson: ItemModel = { ...exampleFactors, loss: { kind: 'poisson' } };

describe('a published model', () => {
  it.each([
    ['factors', exampleFactors],
    ['neighbours', neighbours],
    ['logistic factors', logistic],
    ['poisson factors', poisson],
  ])('comes back as it was: %s', async (_, model) => {
    const before = exampleModel(model);
    const after = await decodePublished(await encodePublished(before));
    expect(after.model).toEqual(model);
    expect(after.manifest).toEqual(before.manifest);
    expect(after.certificate).toMatchObject(before.certificate);
    expect(Object.keys(after.certificate.files).sort()).toEqual([
      fileNames.certificateText,
      fileNames.tensors,
      fileNames.manifest,
    ]);
  });

  it('comes back with its published users where the unit is not a person', async () => {
    const ratingLevel = { ...exampleStatement, unit: 'rating-value' } as const;
    const after = await decodePublished(await encodePublished(exampleModel(baseline, ratingLevel)));
    expect(after.model).toEqual(baseline);
  });

  it('is refused when it holds user vectors under a user-level certificate', async () => {
    await expect(encodePublished(exampleModel(baseline))).rejects.toThrow(PublicationError);
  });

  it('gives the same bytes for the same model', async () => {
    expect(await encodePublished(exampleModel())).toEqual(await encodePublished(exampleModel()));
  });

  it.each(
    Object.values(fileNames).filter(
      (name) => !([fileNames.metrics, fileNames.releases, fileNames.memory] as string[]).includes(name),
    ),
  )('does not load without %s', async (name) => {
    const files = await encodePublished(exampleModel());
    files.delete(name);
    await expect(decodePublished(files)).rejects.toThrow(CorruptModelError);
  });

  it('does not load when tensors and description disagree, even with matching hashes', async () => {
    const wide = { ...exampleFactors, rank: 3 } as ItemModel;
    await expect(encodePublished(exampleModel(wide))).rejects.toThrow(/item_factors has 6 values/);
  });
});
