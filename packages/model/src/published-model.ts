import { parseReadableJson, readableJson } from './canonical-json.js';
import type { Certificate, CertificateStatement } from './certificate.js';
import { certificateText } from './certificate-text.js';
import { sha256Hex } from './content-hash.js';
import type { ItemModel, RatingRange } from './item-model.js';
import { decodeItemModel, encodeItemModel, type ItemModelDescription } from './item-model-encoding.js';
import { decodeTensors, encodeTensors } from './safetensors.js';
import { type SigningKey, sealCertificate } from './seal.js';

/** Names of the files of a model folder. */
export const fileNames = {
  manifest: 'model.json',
  tensors: 'item-factors.safetensors',
  certificate: 'certificate.json',
  certificateText: 'CERTIFICATE.md',
  metrics: 'metrics.json',
} as const;

/** `model.json`: everything about the model that is not a tensor. */
export interface ModelManifest {
  readonly format: 'hushrec-model-1';
  readonly method: string;
  readonly settings: Readonly<Record<string, number | string | boolean>>;
  /** Declared range of ratings; absent for implicit feedback. */
  readonly scale?: RatingRange;
  /** One per row of the item tensors. */
  readonly itemIds: readonly string[];
  /** By item, '' where unknown; absent when the data had none. */
  readonly titles?: readonly string[];
  readonly versions: Readonly<Record<string, string>>;
  /** Public diagnostics of the training run. */
  readonly notes?: Readonly<Record<string, unknown>>;
}

/** The manifest as it stands in the file: with the model's description and the hash of its tensors. */
interface StoredManifest extends ModelManifest {
  readonly model: ItemModelDescription;
  readonly hashes: Readonly<Record<string, string>>;
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

/** The files of a model folder, by name. Equal models give equal bytes (but for the signature's key). */
export async function encodePublished(
  published: UnpublishedModel,
  signingKey?: SigningKey,
): Promise<Map<string, Uint8Array>> {
  const { manifest, model, certificate } = published;
  if (model.kind !== 'neighbours' && model.users !== undefined && certificate.unit === 'user') {
    throw new PublicationError(
      'The model holds user vectors, and its certificate protects whole persons. Fold users in on their devices instead.',
    );
  }
  if (manifest.titles !== undefined && manifest.titles.length !== manifest.itemIds.length) {
    throw new PublicationError(
      `There are ${manifest.titles.length} titles for ${manifest.itemIds.length} items; give one for each.`,
    );
  }
  const { description, tensors } = encodeItemModel(model, manifest.itemIds.length);
  const tensorBytes = encodeTensors(tensors);
  const stored: StoredManifest = {
    ...manifest,
    model: description,
    hashes: { [fileNames.tensors]: await sha256Hex(tensorBytes) },
  };
  const utf8 = new TextEncoder();
  const files = new Map<string, Uint8Array>([
    [fileNames.tensors, tensorBytes],
    [fileNames.manifest, utf8.encode(readableJson(stored))],
    [fileNames.certificateText, utf8.encode(certificateText(certificate))],
  ]);
  const sealed = await sealCertificate(certificate, files, signingKey);
  files.set(fileNames.certificate, utf8.encode(readableJson(sealed)));
  return files;
}

/**
 * Decodes a model folder's files, checking each against its hash. What the certificate claims is not recomputed
 * here; `verifyPublished` does that.
 */
export async function decodePublished(files: ReadonlyMap<string, Uint8Array>): Promise<PublishedModel> {
  const certificate = readJson<Certificate>(files, fileNames.certificate, 'hushrec-certificate-1');
  for (const [name, expected] of Object.entries(certificate.files ?? {})) {
    if ((await sha256Hex(bytesOf(files, name))) !== expected) {
      throw new CorruptModelError(name, 'its content is not what the certificate was issued for.');
    }
  }
  for (const name of [fileNames.manifest, fileNames.tensors]) {
    if (!Object.hasOwn(certificate.files ?? {}, name)) {
      throw new CorruptModelError(fileNames.certificate, `it does not cover ${name}.`);
    }
  }
  const stored = readJson<StoredManifest>(files, fileNames.manifest, 'hushrec-model-1');
  const { model: description, hashes: _hashes, ...manifest } = stored;
  try {
    const tensors = decodeTensors(bytesOf(files, fileNames.tensors));
    return { manifest, model: decodeItemModel(description, tensors, manifest.itemIds.length), certificate };
  } catch (error) {
    throw new CorruptModelError(fileNames.tensors, (error as Error).message, { cause: error });
  }
}

function readJson<Document extends { readonly format: string }>(
  files: ReadonlyMap<string, Uint8Array>,
  name: string,
  format: string,
): Document {
  let document: Document;
  try {
    document = parseReadableJson(bytesOf(files, name)) as unknown as Document;
  } catch (error) {
    if (error instanceof CorruptModelError) throw error;
    throw new CorruptModelError(name, (error as Error).message, { cause: error });
  }
  if (document?.format !== format) {
    throw new CorruptModelError(name, `its format is "${document?.format}"; this version reads "${format}".`);
  }
  return document;
}

function bytesOf(files: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const bytes = files.get(name);
  if (bytes === undefined) throw new CorruptModelError(name, 'the file is missing.');
  return bytes;
}
