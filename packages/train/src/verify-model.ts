import { type Method, methods } from '@hushrec/factorize';
import {
  decodePublished,
  type ModelManifest,
  type Verification,
  type VerificationOptions,
  verifyPublished,
} from '@hushrec/model';
import type { FeatureSource } from '@hushrec/ratings';
import { loadPapers } from './load-papers.js';
import { type Recomputation, recomputeModel } from './recompute-model.js';

/**
 * Everything that can be checked of a model folder: what `verifyPublished` checks from its bytes, that each
 * setting is one of its method, and the model itself from its releases, where these are published.
 *
 * @param features the public sources it learned from, where it did
 */
export async function verifyModel(
  files: ReadonlyMap<string, Uint8Array>,
  options: VerificationOptions & { readonly features?: readonly FeatureSource[] } = {},
): Promise<Verification> {
  const { features, ...held } = options;
  const { checks, warnings } = await verifyPublished(files, held);
  const again = await recomputeModel(files, features);
  const found = [await checkSettings(files), again].filter((each) => each !== undefined);
  const all = [...checks, ...found.flatMap((each) => ('check' in each ? [each.check] : []))];
  return {
    ok: all.every(({ ok }) => ok),
    checks: all,
    warnings: [...warnings, ...found.flatMap((each) => ('note' in each ? [each.note] : []))],
  };
}

/**
 * Whether each setting is one of the method. Nothing where the model cannot be read, which another check
 * says; a note where the method is not known here (a plug-in's).
 */
async function checkSettings(files: ReadonlyMap<string, Uint8Array>): Promise<Recomputation | undefined> {
  const published = await decodePublished(files).catch(() => undefined);
  if (published === undefined) return undefined;
  await loadPapers();
  const { method: id, settings } = published.manifest;
  const method = methods.find((each) => each.id === id);
  if (method === undefined)
    return { note: `Settings not checked: the method "${id}" is not known here, nor what settings it has.` };
  const fault = faultInSettings(method, settings);
  const detail = fault ?? 'each is one of the method';
  return { check: { name: 'settings are the method’s', ok: fault === undefined, detail } };
}

/** A setting that no method has could hold anything: `model.json` is public. */
function faultInSettings(method: Method, settings: ModelManifest['settings']): string | undefined {
  const other = Object.entries(settings).find(
    ([name, value]) =>
      !(Object.hasOwn(method.settings, name) && typeof value === typeof method.settings[name].default),
  );
  return other && `${method.id} has no setting "${other[0]}" that could be ${JSON.stringify(other[1])}.`;
}
