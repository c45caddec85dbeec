import { amSspClaims } from './am-ssp.js';
import type { Claim } from './claim.js';
import { dpCmfClaims } from './dp-cmf.js';
import { dpalsClaims } from './dpals.js';
import { dpimfClaims } from './dpimf.js';
import { friedmanClaims } from './friedman.js';

/** What the five papers say. */
export const claims: readonly Claim[] = [
  ...dpalsClaims,
  ...dpCmfClaims,
  ...amSspClaims,
  ...friedmanClaims,
  ...dpimfClaims,
];
