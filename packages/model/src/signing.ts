// @beta: canonical JSON, hashes and Ed25519 signatures.

export { canonicalJson, parseReadableJson, readableJson } from './canonical-json.js';
export { fromHex, sha256Hex, toHex } from './content-hash.js';
export {
  certificateHash,
  exportSigningKey,
  generateSigningKey,
  importSigningKey,
  SigningError,
  type SigningKey,
  signatureHolds,
  signedBytes,
} from './seal.js';
