import type { Certificate } from '@hushrec/model';

/** What commands that certify a model print of its guarantee, as fields of their JSON. */
export const guaranteeFields = [
  'unit',
  'relation',
  'epsilon',
  'delta',
  'simulation',
  'accountant',
] as const satisfies readonly (keyof Certificate)[];

export function guaranteeOf(certificate: Certificate): Record<string, unknown> {
  return Object.fromEntries(guaranteeFields.map((field) => [field, certificate[field]]));
}
