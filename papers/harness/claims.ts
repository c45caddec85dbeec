import { amSspClaims } from '../am-ssp/claims.js';
import { dpCmfClaims } from '../dp-cmf/claims.js';
import { dpalsClaims } from '../dpals/claims.js';
import { dpimfClaims } from '../dpimf/claims.js';
import { friedmanClaims } from '../friedman/claims.js';
import type { Claim } from './claim.js';

/** What the five papers say. */
export const claims: readonly Claim[] = [
  ...dpalsClaims,
  ...dpCmfClaims,
  ...amSspClaims,
  ...friedmanClaims,
  ...dpimfClaims,
];
