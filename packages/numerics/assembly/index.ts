export { cgScratchBytes } from './conjugate-gradients';
export { gramian } from './gramian';
export { itemStatistics, toGrid } from './item-statistics';
export { solvePsd, solvePsdScratchBytes } from './solve-psd';
export { solveRows } from './solve-rows';
export { quantizeItems } from './screen-i16';
export { predictPairs, sumBags } from './sparse-products';
export { packItems, topK } from './top-k';
