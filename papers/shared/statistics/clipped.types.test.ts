import { zeroFactors } from '@hushrec/numerics';
import { expect, it } from 'vitest';
import { type ClippedRows, clipRows } from './clip-rows.js';
import { type ClippedTargets, clipTargets } from './clip-targets.js';
import type { exactGramian, ItemStatisticsInput } from './exact-item-sums.js';

type SummedRows = Parameters<typeof exactGramian>[1];

it('sums over people take rows and targets that were clipped, by type', () => {
  const rows = zeroFactors(2, 3);
  const clipped: SummedRows & ItemStatisticsInput['users'] = clipRows(rows, 1);
  const targets: ItemStatisticsInput['targets'] = clipTargets(Float32Array.of(1, 2), 1);
  expect([clipped.bound, targets.bound]).toEqual([1, 1]);

  // @ts-expect-error: rows as they were solved have no bound
  const solved: SummedRows = rows;
  // @ts-expect-error: a bound that somebody wrote beside rows proves nothing
  const claimed: SummedRows = { rows, bound: 1 };
  // @ts-expect-error: neither does one beside targets
  const claimedTargets: ItemStatisticsInput['targets'] = { values: Float32Array.of(7), bound: 1 };
  // @ts-expect-error: clipped targets are no clipped rows
  const mistaken: ClippedRows = targets;
  // @ts-expect-error: nor the other way round
  const exchanged: ClippedTargets = clipped;
  expect([solved, claimed, claimedTargets, mistaken, exchanged]).toHaveLength(5);
});
