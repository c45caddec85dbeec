import { fileNames, PublicationError, type StoredManifest, type UnpublishedModel } from '@hushrec/model';
import {
  encodeItemModel,
  encodeTensors,
  faultInItemModel,
  faultInManifest,
  faultInPublishedFields,
  faultInSelection,
} from '@hushrec/model/making';
import { parseReadableJson, readableJson, type SigningKey, sha256Hex } from '@hushrec/model/signing';
import { certificateText } from '@hushrec/model/words';
import { sealCertificate } from './seal-certificate.js';

/** The files of a model folder, by name. Equal models give equal bytes (but for the signature's key). */
export async function encodePublished(
  published: UnpublishedModel,
  options: {
    readonly signingKey?: SigningKey | undefined;
    readonly releases?: Uint8Array | undefined;
    readonly memory?: Uint8Array | undefined;
  } = {},
): Promise<Map<string, Uint8Array>> {
  const { manifest, model, certificate } = published;
  if (model.kind !== 'neighbours' && model.users !== undefined && certificate.unit === 'user') {
    throw new PublicationError(
      'The model holds user vectors, and its certificate protects whole persons. Fold users in on their devices instead.',
    );
  }
  const uncovered = faultInSelection(manifest.run?.trainedOn, certificate);
  if (uncovered !== undefined) throw new PublicationError(`The certificate cannot be given: ${uncovered}`);
  const fault = faultInManifest(manifest) ?? (await faultInItemModel(model, manifest.itemIds.length));
  if (fault !== undefined) throw new PublicationError(`The model cannot be used by anyone: ${fault}`);
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
    [fileNames.manifest, utf8.encode(readableJson(plainJson(stored)))],
    [fileNames.certificateText, utf8.encode(certificateText(certificate))],
  ]);
  if (options.releases !== undefined) files.set(fileNames.releases, options.releases);
  if (options.memory !== undefined) files.set(fileNames.memory, options.memory);
  const sealed = await sealCertificate(certificate, files, options.signingKey);
  // As it stands in the files: what is `undefined` is not there.
  const unknown = faultInPublishedFields(
    parseReadableJson(files.get(fileNames.manifest)!),
    JSON.parse(JSON.stringify(sealed)),
  );
  if (unknown !== undefined) throw new PublicationError(`Nothing is published: ${unknown}`);
  files.set(fileNames.certificate, utf8.encode(readableJson(sealed)));
  return files;
}

/** Typed arrays as lists of numbers. */
function plainJson(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainJson(each)]));
  return value;
}
