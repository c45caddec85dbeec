import { methods } from '@hushrec/factorize';
import {
  decodePublished,
  type ModelManifest,
  type Verification,
  type VerificationOptions,
  verifyPublished,
} from '@hushrec/model';
import type { FeatureSource } from '@hushrec/ratings';
import { recomputeModel } from './recompute-model.js';

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
  const all = [
    ...checks,
    ...(await settingsChecks(files)),
    ...(again && 'check' in again ? [again.check] : []),
  ];
  return {
    ok: all.every(({ ok }) => ok),
    checks: all,
    warnings: [...warnings, ...(again && 'note' in again ? [again.note] : [])],
  };
}

/** None where the model cannot be read, which another check says. */
async function settingsChecks(files: ReadonlyMap<string, Uint8Array>) {
  const published = await decodePublished(files).catch(() => undefined);
  if (published === undefined) return [];
  const fault = faultInSettings(published.manifest);
  const detail = fault ?? 'each is one of the method';
  return [{ name: 'settings are the method’s', ok: fault === undefined, detail }];
}

/** A setting that no method has could hold anything: `model.json` is public. */
function faultInSettings({ method: id, settings }: ModelManifest): string | undefined {
  const method = methods.find((each) => each.id === id);
  if (method === undefined) return `there is no method "${id}" in this version.`;
  const other = Object.entries(settings).find(
    ([name, value]) =>
      !(Object.hasOwn(method.settings, name) && typeof value === typeof method.settings[name].default),
  );
  return other && `${id} has no setting "${other[0]}" that could be ${JSON.stringify(other[1])}.`;
}
