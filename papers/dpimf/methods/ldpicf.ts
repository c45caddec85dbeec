import { flippedMethod } from './flipped-method.js';

/**
 * LDPICF (Guo et al. 2019): the whole 2×2 table of an item pair is reconstructed, cells below 0 are set to 0,
 * and the similarity is the share of those who have either item that have both.
 */
export const ldpicf = flippedMethod(
  {
    id: 'ldpicf',
    title: 'Item neighbours on flipped bits (reconstructed joint counts)',
    paper: 'Guo, Luo, Dong, Yang 2019, as compared in Ran et al. 2024',
  },
  (one, other, both) => {
    const together = Math.max(both, 0);
    const either = together + Math.max(one - both, 0) + Math.max(other - both, 0);
    return together / Math.max(either, 1);
  },
);
