import { parseReadableJson } from './canonical-json.js';
import type { Certificate, CertificateStatement } from './certificate.js';
import { sha256Hex } from './content-hash.js';
import { fileNames } from './file-names.js';
import type { ItemModel, RatingRange } from './item-model.js';
import { decodeItemModel, type ItemModelDescription, ItemModelError } from './item-model-encoding.js';
import { faultInItemModel, faultInManifest } from './model-check.js';
import { decodeTensors } from './safetensors.js';
import { certificateHash } from './seal.js';
import type { TrainingFacts } from './training-facts.js';

/**
 * Formats of `model.json` that this version reads. The third has a `loss`, which readers of the second would
 * not see.
 */
export type ModelFormat = 'hushrec-model-2' | 'hushrec-model-3';

/** The format a model is written in: the oldest that says all there is to say about it. */
export function modelFormat(model: ItemModel | ItemModelDescription): ModelFormat {
  return 'loss' in model ? 'hushrec-model-3' : 'hushrec-model-2';
}

/** `model.json`: everything about the model that is not a tensor. */
export interface ModelManifest {
  readonly format: ModelFormat;
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Declared range of ratings; absent for implicit feedback. */
  readonly scale?: RatingRange;
  /** One per row of the item tensors. */
  readonly itemIds: readonly string[];
  /** By item, '' where unknown; absent when the data had none. */
  readonly titles?: readonly string[];
  /** Addresses of the items' own pages and of their pictures, in the manner of titles. */
  readonly links?: readonly string[];
  readonly images?: readonly string[];
  readonly versions: { readonly hushrec: string };
  /** What the run was, from public knowledge: enough to repeat it from its releases. */
  readonly run?: PublishedRun;
  /** Facts about the run that follow from its releases. */
  readonly facts?: TrainingFacts;
}

/** The public side of a training run. */
export interface PublishedRun {
  /** As asked for; the certificate states what was proved. `null`: no noise. */
  readonly epsilon: number | null;
  readonly delta: number;
  readonly accounting: string;
  readonly declaredPeople?: number;
  /** Scale that was trained on: that of the ratings, or 1 for choices. */
  readonly scale: RatingRange;
  /** Seed of the public start. */
  readonly publicSeed: number;
  /** Arithmetic that made the model, and Node's major version: others may differ in the last bit. */
  readonly kernel: string;
  readonly node: string;
  /** Public sources it learned from, by the hash of their content. */
  readonly sources: readonly { readonly name: string; readonly kind: string; readonly sha256: string }[];
  /**
   * How many people are listed, where the unit of privacy is a rating and the list of people therefore
   * public.
   */
  readonly listedPeople?: number;
  /** In how many parties the data was dealt out, where several were simulated. */
  readonly simulatedParties?: number;
  /** Which part of the data it was trained on, where that was not all of it. */
  readonly trainedOn?: TrainedOn;
  /** The memories it began with and left, by the SHA-256 of their files; absent where it left none. */
  readonly memory?: PublishedMemory;
}

export interface PublishedMemory {
  readonly before?: string;
  readonly after: string;
  /** Day of the run, and what was left of the weight of the memory before. */
  readonly day: string;
  readonly kept?: number;
}

/** How ratings were chosen to train on: by what was asked for, and by each person's own. */
export interface TrainedOn {
  readonly protocol?: string;
  readonly splitSeed?: number;
  /** What decided about a rating: see `divisions`. */
  readonly division?: string;
  readonly candidates?: string;
  /** Ratings of at least this much, without their value. */
  readonly liked?: number;
}

/** The manifest as it stands in the file: with the model's description and the hash of its tensors. */
export interface StoredManifest extends ModelManifest {
  readonly model: ItemModelDescription;
  readonly hashes: { readonly [fileNames.tensors]: string };
}

/** What goes into a model folder. */
export interface UnpublishedModel {
  readonly manifest: ModelManifest;
  readonly model: ItemModel;
  readonly certificate: CertificateStatement;
}

/** What comes out of one: anyone may hold it. */
export interface PublishedModel extends UnpublishedModel {
  readonly certificate: Certificate;
}

/** A model folder whose bytes are not what its certificate says, or that no version of this library wrote. */
export class CorruptModelError extends Error {
  override readonly name = 'CorruptModelError';
  readonly kind = 'data';
  readonly file: string;
  constructor(file: string, reason: string, options?: ErrorOptions) {
    super(`${file}: ${reason}`, options);
    this.file = file;
  }
}

/** Something that must not be published under the certificate it comes with. */
export class PublicationError extends Error {
  override readonly name = 'PublicationError';
  readonly kind = 'privacy';
}

/**
 * Decodes a model folder's files, checking the certificate against its own hash, each file against the hash
 * the certificate has for it, and every number that a prediction is made of. What the certificate claims is
 * not recomputed here; `verifyPublished` does that.
 *
 * @param faultInCertificate what is wrong with the fields of a certificate, for what the caller reads of it
 * @throws CorruptModelError naming the file and what is wrong with it.
 */
export async function decodeFiles(
  files: ReadonlyMap<string, Uint8Array>,
  faultInCertificate: (certificate: unknown) => string | undefined,
): Promise<PublishedModel> {
  const certificate = readJson<Certificate>(files, fileNames.certificate);
  const fault = faultInCertificate(certificate);
  if (fault !== undefined) throw new CorruptModelError(fileNames.certificate, fault);
  if ((await certificateHash(certificate)) !== certificate.hash) {
    throw new CorruptModelError(
      fileNames.certificate,
      'it was changed after it was issued: its hash is not that of its content.',
    );
  }
  for (const [name, expected] of Object.entries(certificate.files)) {
    if ((await sha256Hex(bytesOf(files, name))) !== expected) {
      throw new CorruptModelError(name, 'its content is not what the certificate was issued for.');
    }
  }
  for (const name of [fileNames.manifest, fileNames.tensors]) {
    if (!Object.hasOwn(certificate.files, name)) {
      throw new CorruptModelError(fileNames.certificate, `it does not cover ${name}.`);
    }
  }
  const stored = readJson<StoredManifest>(files, fileNames.manifest);
  if (stored?.format !== 'hushrec-model-2' && stored?.format !== 'hushrec-model-3') {
    throw new CorruptModelError(
      fileNames.manifest,
      `its format is "${stored?.format}"; this version reads "hushrec-model-2" and "hushrec-model-3".`,
    );
  }
  const { model: description, hashes: _hashes, ...manifest } = stored;
  const manifestFault =
    faultInManifest(manifest) ??
    (typeof description === 'object' && description !== null ? undefined : 'it does not describe a model.') ??
    (manifest.format === modelFormat(description)
      ? undefined
      : `its format is "${manifest.format}", but a model ${'loss' in description ? 'with a loss' : 'without one'} is "${modelFormat(description)}".`);
  if (manifestFault !== undefined) throw new CorruptModelError(fileNames.manifest, manifestFault);
  return { manifest, model: await decodedModel(description, files, manifest.itemIds.length), certificate };
}

async function decodedModel(
  description: ItemModelDescription,
  files: ReadonlyMap<string, Uint8Array>,
  itemCount: number,
): Promise<ItemModel> {
  try {
    const model = decodeItemModel(description, decodeTensors(bytesOf(files, fileNames.tensors)), itemCount);
    const fault = await faultInItemModel(model, itemCount);
    if (fault !== undefined) throw new ItemModelError(fault);
    return model;
  } catch (error) {
    throw new CorruptModelError(fileNames.tensors, (error as Error).message, { cause: error });
  }
}

function readJson<Document>(files: ReadonlyMap<string, Uint8Array>, name: string): Document {
  const bytes = bytesOf(files, name);
  try {
    return parseReadableJson(bytes) as Document;
  } catch (error) {
    throw new CorruptModelError(name, (error as Error).message, { cause: error });
  }
}

function bytesOf(files: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = files.get(name);
  if (bytes === undefined) throw new CorruptModelError(name, 'the file is missing.');
  return bytes;
}
