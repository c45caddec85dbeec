import { flippedMethod } from './flipped-method.js';

/** DPLCF (Gao et al. 2020): cosine of debiased counts, n̂_jl/√(max(n̂_j, 1)·max(n̂_l, 1)). */
export const dplcf = flippedMethod(
  {
    id: 'dplcf',
    title: 'Local collaborative filtering on flipped bits (cosine)',
    paper: 'Gao, Huang, Lin, Jin, Li 2020, as compared in Ran et al. 2024',
  },
  (one, other, both) => both / Math.sqrt(Math.max(one, 1) * Math.max(other, 1)),
);
