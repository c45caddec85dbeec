import { createHash } from 'node:crypto';
import type { RatingScale } from '@hushrec/ratings';

/** What was prepared on the cluster's storage: every block by its name. As private as the ratings. */
export interface BlockManifest {
  readonly format: 'hushrec-blocks-1';
  readonly itemCount: number;
  readonly scale: RatingScale;
  readonly people: number;
  readonly ratings: number;
  /** Names of all blocks, ascending. */
  readonly blocks: readonly string[];
}

/** What of the people's blocks is wrong, in words without a value of the data. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly kind = 'data';
}

/** A manifest of blocks that came in any order. @throws ManifestError where a block is there twice */
export function blockManifest(
  found: readonly { readonly name: string; readonly people: number; readonly entries: number }[],
  { itemCount, scale }: Pick<BlockManifest, 'itemCount' | 'scale'>,
): BlockManifest {
  const blocks = found.map(({ name }) => name).sort();
  if (blocks.some((name, at) => at > 0 && name === blocks[at - 1]))
    throw new ManifestError('A block of people is on the storage twice. Prepare the data again.');
  const total = (of: (each: (typeof found)[number]) => number) =>
    found.reduce((sum, each) => sum + of(each), 0);
  return {
    format: 'hushrec-blocks-1',
    itemCount,
    scale,
    people: total(({ people }) => people),
    ratings: total(({ entries }) => entries),
    blocks,
  };
}

/**
 * Identity of the data behind a manifest: what noise is bound to, and what the ledger calls a snapshot.
 * Changes with any rating of anyone. Never published.
 */
export function manifestIdentity({ format, itemCount, scale, blocks }: BlockManifest): string {
  const { min, max, step } = scale;
  const content = JSON.stringify([format, itemCount, [min, max, step], blocks]);
  return createHash('sha256').update(content).digest('hex');
}
