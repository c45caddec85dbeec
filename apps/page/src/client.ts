// @public: kept by every release (docs/policy.md).

import {
  type Certificate,
  decodeFiles,
  faultForRecommending,
  fileNames,
  type PublishedModel,
} from '@hushrec/model';
import { signatureHolds } from '@hushrec/model/signing';
import { prepareModel, Recommender, recommendable } from '@hushrec/recommend';
import { fetchAgain } from './fetch-again.js';

export type { PublishedModel } from '@hushrec/model';
export {
  type HistoryEntry,
  HistoryError,
  type ItemChoice,
  type Recommendation,
  type Recommendations,
  Recommender,
  recommendable,
  type SimilarItem,
  type SimilarItems,
  type SimilarOptions,
} from '@hushrec/recommend';
export { similar } from './similar.js';
export { OwnHistory } from './site/own-history.js';

/** A published model on this device. */
export interface DeviceModel {
  readonly published: PublishedModel;
  readonly recommender: Recommender;
}

/** The model could not be fetched; nothing was loaded. */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError';
  readonly status: number;
  constructor(file: string, status: number) {
    super(`${file} could not be fetched (${status}). Check the address of the model folder.`);
    this.status = status;
  }
}

/** The model's certificate was not issued by anyone this device trusts; nothing was loaded. */
export class UntrustedModelError extends Error {
  override readonly name = 'UntrustedModelError';
  readonly kind = 'data';
}

export interface TrustOptions {
  /** Ed25519 public keys in hexadecimal: accept only certificates signed by one of them. */
  readonly trustedKeys?: readonly string[];
}

/**
 * Fetches a model folder (`https://…/models/my-model/`), checks every file against the certificate's hashes
 * and the certificate against its own hash and signature, and gives a recommender. These are the only
 * requests this library ever makes, and they carry nothing about the person. A folder that is replaced while
 * it is fetched is fetched again.
 *
 * @throws ModelFetchError where a file cannot be fetched, CorruptModelError or UntrustedModelError where it
 * is not what the certificate was issued for, or nobody trusted signed it.
 * @example
 * const { recommender } = await fetchModel('/models/sample-eps-1/');
 * const { items } = recommender.recommend([{ id: 'movie-7', rating: 4.5 }], { k: 20 });
 */
export async function fetchModel(
  folder: string,
  init?: RequestInit,
  trust: TrustOptions = {},
): Promise<DeviceModel> {
  const base = folder.replace(/\/?$/, '/');
  const names = [fileNames.certificate, fileNames.manifest, fileNames.tensors, fileNames.certificateText];
  const get = async (name: string, options?: RequestInit) => {
    const response = await fetch(base + name, { ...init, ...options });
    if (!response.ok) throw new ModelFetchError(name, response.status);
    return new Uint8Array(await response.arrayBuffer());
  };
  const files = new Map(await Promise.all(names.map(async (name) => [name, await get(name)] as const)));
  return openModel(files, trust).catch((error) => fetchAgain(error, files, get, openModel, trust));
}

/** The same from bytes that are already on the device: works offline. */
export async function openModel(
  files: ReadonlyMap<string, Uint8Array>,
  trust: TrustOptions = {},
): Promise<DeviceModel> {
  const published = await decodeFiles(files, faultForRecommending);
  await checkCertificate(published.certificate, trust.trustedKeys);
  await prepareModel(published.model);
  const recommender = new Recommender(recommendable(published));
  return { published, recommender };
}

/** A signature that is there must hold; where keys are trusted, one of theirs must be there. */
async function checkCertificate(certificate: Certificate, trustedKeys?: readonly string[]): Promise<void> {
  const { signature } = certificate;
  if (signature !== undefined && !(await signatureHolds(certificate)))
    throw new UntrustedModelError('The signature of the certificate does not hold.');
  if (trustedKeys !== undefined && !trustedKeys.includes(signature?.publicKey ?? ''))
    throw new UntrustedModelError('The certificate is not signed by a key this device trusts.');
}
