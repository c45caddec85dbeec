import { createHash } from 'node:crypto';
import type { DatasetManifest } from '../rating-matrix.js';

/**
 * `dataset.json` as it is written: the manifest with the SHA-256 of its own JSON in the field `seal`. It
 * names the scale, on which sensitivities rest, and the account, whose budget is spent: a flipped bit in
 * either must not pass.
 */
export function sealedManifest(manifest: DatasetManifest): string {
  return `${JSON.stringify({ ...manifest, seal: sealOf(manifest) }, null, 2)}\n`;
}

/** The manifest in a text, or why there is none. */
export function unsealedManifest(text: string): DatasetManifest | 'not JSON' | 'not sealed' | 'changed' {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'not JSON';
  const { seal, ...manifest } = parsed as DatasetManifest & { readonly seal?: unknown };
  if (typeof seal !== 'string') return 'not sealed';
  return seal === sealOf(manifest) ? (manifest as DatasetManifest) : 'changed';
}

function sealOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
