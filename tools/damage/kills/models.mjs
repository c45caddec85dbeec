import { sampleStatement } from '../../sample-certificate.mjs';
import { account, scale } from './content.mjs';

const items = 2000;
/** Two models that differ in their offset. */
export const models = [1, 2].map((offset) => ({
  manifest: {
    format: 'hushrec-model-2',
    method: 'dpals',
    settings: {},
    scale,
    itemIds: Array.from({ length: items }, (_, k) => String(k)),
    versions: {},
  },
  model: {
    kind: 'baseline',
    feedback: 'explicit',
    offset,
    itemBias: new Float32Array(items),
    userShrinkage: 1,
  },
  certificate: { ...sampleStatement, account },
}));
