import {
  CorruptModelError,
  decodePublished,
  fileNames,
  type ItemModel,
  verifyPublished,
} from '@hushrec/model';
import { decodeTensors, encodeTensors, type Tensor } from '@hushrec/model/making';
import { readableJson } from '@hushrec/model/signing';
import { certificateText } from '@hushrec/model/words';
import { describe, expect, it } from 'vitest';
import {
  exampleFactors,
  exampleModel,
  exampleStatement,
} from '../../../model/src/example-model.test.data.js';
import { encodePublished } from './encode-published.js';
import { sealCertificate } from './seal-certificate.js';

const utf8 = new TextEncoder();
const parsed = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

/** Puts a value at a path such as `model.foldIn.ridge`; `undefined` takes away what is there. */
function setAt(document: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  const parent = keys.reduce((at, key) => at[key] as Record<string, unknown>, document);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
}

/** A folder with a changed manifest or changed tensors, sealed as if it had been written so. */
async function sealedWith(
  changeManifest: (manifest: Record<string, unknown>) => void,
  changeTensors: (tensors: Record<string, Tensor>) => void = () => {},
  model: ItemModel = exampleFactors,
): Promise<Map<string, Uint8Array>> {
  const files = await encodePublished(exampleModel(model));
  const manifest = parsed(files.get(fileNames.manifest)!);
  changeManifest(manifest);
  const tensors = decodeTensors(files.get(fileNames.tensors)!);
  changeTensors(tensors);
  files.set(fileNames.manifest, utf8.encode(readableJson(manifest)));
  files.set(fileNames.tensors, encodeTensors(tensors));
  files.delete(fileNames.certificate);
  files.set(fileNames.certificateText, utf8.encode(certificateText(exampleStatement)));
  const certificate = await sealCertificate(exampleStatement, files);
  return files.set(fileNames.certificate, utf8.encode(readableJson(certificate)));
}

const neighbours: ItemModel = {
  kind: 'neighbours',
  feedback: 'explicit',
  k: 1,
  neighbours: Int32Array.of(1, 2, -1),
  similarities: Float32Array.of(0.9, 0.8, 0),
  offset: 3,
  userShrinkage: 5,
};

const manifestFaults: [string, string, unknown, RegExp][] = [
  ['a ridge of 0', 'model.foldIn.ridge', 0, /foldIn\.ridge is 0; a number > 0/],
  ['a negative ridge', 'model.foldIn.ridge', -1, /foldIn\.ridge is -1/],
  ['a ridge that is a text', 'model.foldIn.ridge', '1', /foldIn\.ridge is 1/],
  ['no fold-in', 'model.foldIn', undefined, /foldIn is missing/],
  ['a missing exponent', 'model.foldIn.ridgeExponent', undefined, /ridgeExponent is undefined/],
  ['a negative intercept ridge', 'model.foldIn.interceptRidge', -1, /interceptRidge is -1/],
  ['an offset that is null', 'model.offset', null, /offset is/],
  ['feedback of no kind', 'model.feedback', 'both', /feedback is both/],
  ['a rank that does not fit', 'model.rank', 3, /item_factors has shape \[3,2\]/],
  ['a rank that is a text', 'model.rank', '2', /rank is 2; a whole number/],
  ['a loss in a format without losses', 'model.loss', { kind: 'poisson' }, /is "hushrec-model-3"/],
  ['an unknown kind', 'model.kind', 'trees', /Unknown kind of model "trees"/],
  ['no model', 'model', undefined, /does not describe a model/],
  ['ids that are numbers', 'itemIds', [1, 2, 3], /itemIds is not a list/],
  ['an id twice', 'itemIds', ['a', 'a', 'b'], /itemIds twice/],
  ['fewer ids than rows', 'itemIds', ['a'], /titles is not a list of 1/],
  ['a title too few', 'titles', ['A', ''], /titles is not a list of 3/],
  ['a scale upside down', 'scale.max', 0, /runs from 0.5 to 0/],
  ['a scale of texts', 'scale.min', 'low', /scale\.min is low/],
];

describe('a sealed model that gives no finite prediction', () => {
  it.each(manifestFaults)('is refused with the reason: %s', async (_, path, value, reason) => {
    const files = await sealedWith((manifest) => setAt(manifest, path, value));
    await expect(decodePublished(files)).rejects.toThrow(CorruptModelError);
    await expect(decodePublished(files)).rejects.toThrow(reason);
    const { ok, checks } = await verifyPublished(files);
    expect([ok, checks.find(({ name }) => name === 'model is readable')?.ok]).toEqual([false, false]);
  });

  it.each(['item_factors', 'item_bias', 'popularity'])(
    'is refused: %s with NaN or Infinity',
    async (name) => {
      for (const value of [NaN, Infinity, -Infinity]) {
        const files = await sealedWith(
          () => {},
          (tensors) => (tensors[name].data[1] = value),
        );
        await expect(decodePublished(files)).rejects.toThrow(`${name} holds ${value} at position 1`);
        expect((await verifyPublished(files)).ok).toBe(false);
      }
    },
  );

  const logistic: ItemModel = { ...exampleFactors, loss: { kind: 'logistic', likedFrom: 4 } };
  it.each<[string, string, unknown, RegExp]>([
    ['a loss of a later version', 'model.loss.kind', 'huber', /loss is huber; one of logistic, poisson/],
    ['a loss that is a text', 'model.loss', 'logistic', /loss is undefined; one of/],
    ['a loss that is null', 'model.loss', null, /loss is undefined; one of/],
    ['no threshold', 'model.loss.likedFrom', undefined, /loss\.likedFrom is undefined/],
    ['a loss of choices', 'model.feedback', 'implicit', /a loss needs explicit feedback/],
    ['unobserved pairs', 'model.foldIn.unobservedWeight', 0.1, /unobservedWeight must be 0/],
    ['an unbounded intercept', 'model.foldIn.interceptRidge', 0, /interceptRidge is 0/],
    ['the format without losses', 'format', 'hushrec-model-2', /a model with a loss is "hushrec-model-3"/],
  ])('is refused, with a loss: %s', async (_, path, value, reason) => {
    const files = await sealedWith((manifest) => setAt(manifest, path, value), undefined, logistic);
    await expect(decodePublished(files)).rejects.toThrow(reason);
    expect((await verifyPublished(files)).ok).toBe(false);
  });

  it('is refused: neighbours that are no items', async () => {
    for (const item of [3, -2]) {
      const change = (tensors: Record<string, Tensor>) => (tensors['neighbours'].data[0] = item);
      const files = await sealedWith(() => {}, change, neighbours);
      await expect(decodePublished(files)).rejects.toThrow(`neighbours names item ${item} of 3`);
    }
  });

  it('is refused: a tensor nobody asked for, whatever it is called', async () => {
    const header = '{"__proto__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  ';
    const bytes = Uint8Array.of(header.length, 0, 0, 0, 0, 0, 0, 0, ...utf8.encode(header), 0, 0, 0, 0);
    expect(Object.keys(decodeTensors(bytes))).toEqual(['__proto__']);
  });

  it('is not written either', async () => {
    const zeroRidge = { ...exampleFactors, foldIn: { ...exampleFactors.foldIn, ridge: 0 } };
    await expect(encodePublished(exampleModel(zeroRidge))).rejects.toThrow('foldIn.ridge is 0');
    const noNumber = { ...exampleFactors, itemFactors: Float32Array.of(1, NaN, 3, 4, 5, 6) };
    await expect(encodePublished(exampleModel(noNumber))).rejects.toThrow('holds NaN');
  });
});

describe('a certificate that is not what was issued', () => {
  const edited = async (path: string, value: unknown) => {
    const files = await encodePublished(exampleModel());
    const certificate = parsed(files.get(fileNames.certificate)!);
    setAt(certificate, path, value);
    return files.set(fileNames.certificate, utf8.encode(readableJson(certificate)));
  };

  it('does not open when ε was edited by hand', async () => {
    const files = await edited('epsilon', 0.1);
    await expect(decodePublished(files)).rejects.toThrow(
      'certificate.json: it was changed after it was issued',
    );
  });

  it.each<[string, unknown, string?]>([
    ['epsilon', '1'],
    ['delta', 1],
    ['unit', 'household'],
    ['releases.0.noise', null, 'releases[0].noise'],
    ['releases', {}],
    ['files', { 'model.json': 1 }, 'files.model.json'],
    ['simulation', undefined],
    ['accountAtIssue', null],
    ['accountAtIssue', { granted: null }, 'accountAtIssue.spent'],
    [
      'accountAtIssue',
      { granted: { epsilon: -1, delta: 0 }, spent: { epsilon: 1, delta: 0 } },
      'accountAtIssue.granted.epsilon',
    ],
    ['accountAtIssue', { granted: null, spent: { epsilon: '1', delta: 0 } }, 'accountAtIssue.spent.epsilon'],
    ['hash', null],
  ])('says which field is not what it must be: %s', async (path, value, place = path) => {
    const files = await edited(path, value);
    await expect(decodePublished(files)).rejects.toThrow(
      `its field "${place}" is missing or not what it must be`,
    );
    expect((await verifyPublished(files)).ok).toBe(false);
  });
});
