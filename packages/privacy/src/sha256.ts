// SHA-256 alone (`@hushrec/privacy/sha256`), loaded only where the platform has none.
export { sha256Hex } from './random/sha256.js';
