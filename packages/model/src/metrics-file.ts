import { type Json, parseReadableJson, readableJson } from './canonical-json.js';
import { certificateHash } from './seal.js';

/**
 * `metrics.json`: how good a model is. It comes after the certificate, so it names the certificate it is
 * about and seals itself with a hash of its own.
 */
export interface MetricsFile {
  readonly format: 'hushrec-metrics-1';
  /** `hash` of the certificate of the model that was evaluated. */
  readonly certificate: string;
  readonly metrics: Json;
  /** SHA-256 of the canonical JSON of the rest. */
  readonly hash: string;
}

/** Bytes of a metrics file for the model with this certificate. */
export async function encodeMetrics(certificate: string, metrics: unknown): Promise<Uint8Array> {
  const content = { format: 'hushrec-metrics-1', certificate, metrics };
  return new TextEncoder().encode(readableJson({ ...content, hash: await certificateHash(content) }));
}

/**
 * Why the bytes are not an untouched metrics file of the model with this certificate; `undefined` if they
 * are.
 */
export async function faultInMetrics(bytes: Uint8Array, certificate: string): Promise<string | undefined> {
  let file: MetricsFile;
  try {
    file = parseReadableJson(bytes) as MetricsFile;
  } catch (error) {
    return (error as Error).message;
  }
  if (file?.format !== 'hushrec-metrics-1') return 'it is not a metrics file.';
  if ((await certificateHash(file)) !== file.hash) return 'it was changed after it was written.';
  return file.certificate === certificate ? undefined : 'it is about another model.';
}
