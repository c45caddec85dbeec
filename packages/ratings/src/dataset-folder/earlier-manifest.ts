import type { DatasetManifest } from '../rating-matrix.js';

/** `dataset.json` as it was before people had one name everywhere: its counts were of `users`. */
interface FirstFormat {
  readonly format: 'hushrec-dataset-1';
  readonly users: number;
  readonly features?: readonly object[];
}

/** A manifest in the words of today; one of the first format differs from them by names alone. */
export function inPresentWords(manifest: object): DatasetManifest {
  if ((manifest as FirstFormat).format !== 'hushrec-dataset-1') return manifest as DatasetManifest;
  const { format: _, users, features, ...same } = manifest as FirstFormat;
  return {
    ...same,
    format: 'hushrec-dataset-2',
    people: users,
    ...(Array.isArray(features) && { features: features.map(renamed) }),
  } as unknown as DatasetManifest;
}

function renamed(feature: object): object {
  if (typeof feature !== 'object' || feature === null || !('users' in feature)) return feature;
  const { users, ...same } = feature;
  return { ...same, people: users };
}
