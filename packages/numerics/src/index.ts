// @internal: for the packages beside this one, not an interface (docs/policy.md).

export {
  choleskyInPlace,
  choleskySolve,
  invertPositiveDefinite,
  invertUpper,
  NotPositiveDefiniteError,
  solvePositiveDefinite,
} from './cholesky.js';
export { createEngine, type EngineOptions } from './create-engine.js';
export type { Csr, FactorMatrix } from './csr.js';
export { csrFromTriples } from './csr-from-triples.js';
export type { Engine, ItemStatistics, ItemStatisticsJob, SolvePsdJob } from './engine.js';
export { MAX_VECTOR_BITS } from './exact-grid.js';
export { compileKernel, kernelMemory } from './kernels/compile-kernel.js';
export { type BlockSource, blockEnds, type RowBlock } from './out-of-core/row-blocks.js';
export { openRowFiles, writeRowFiles } from './out-of-core/row-files.js';
export { packedLength, unpackSymmetric } from './packed-symmetric.js';
export { projectPositiveSemidefinite } from './psd-projection.js';
export { randomFactors, zeroFactors } from './random-factors.js';
export { sharedFloat32, sharedFloat64, sharedMemoryAvailable, sharedUint32 } from './shared-array.js';
export { smallProduct } from './small-product.js';
export { rowRidges, type Side, solveSide } from './solve-side.js';
export { type SymmetricEigen, symmetricEigen } from './symmetric-eigen.js';
export { WorkerPool, WorkerPoolError } from './threads/worker-pool.js';
export { reorder, transpose, transposeWithOrder } from './transpose.js';
