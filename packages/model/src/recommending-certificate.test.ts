import { expect, it } from 'vitest';
import { certificateFormat } from './certificate.js';
import { faultForRecommending } from './recommending-certificate.js';

const whole = {
  format: certificateFormat,
  epsilon: 1,
  simulation: false,
  hash: '00',
  files: {},
  usefulness: { verdict: 'weak' },
  signature: { algorithm: 'Ed25519', publicKey: '00', value: '00' },
};

it('takes a certificate whose fields a recommendation needs', () => {
  expect(faultForRecommending(whole)).toBeUndefined();
  expect(faultForRecommending({ ...whole, epsilon: null, usefulness: undefined })).toBeUndefined();
});

it.each([
  [null],
  [{ ...whole, format: 'hushrec-certificate-1' }],
  [{ ...whole, epsilon: '1' }],
  [{ ...whole, simulation: undefined }],
  [{ ...whole, hash: 7 }],
  [{ ...whole, files: null }],
  [{ ...whole, usefulness: null }],
  [{ ...whole, usefulness: {} }],
  [{ ...whole, signature: { publicKey: '00' } }],
])('refuses %j', (certificate) => {
  expect(faultForRecommending(certificate)).toMatch(/format|field/);
});
