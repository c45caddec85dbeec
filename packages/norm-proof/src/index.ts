// @internal: for the packages beside this one, not an interface (docs/policy.md).

export { type NormBound, USUAL } from './circuit.js';
export { MODULUS } from './field.js';
export { NONCE_BYTES, NormProof, type Prepared, VERIFY_KEY_BYTES } from './norm-proof.js';
export { fieldNumbers, wholeNumbers } from './numbers.js';
export { type ProvedShares, RANDOM_BYTES } from './split.js';
