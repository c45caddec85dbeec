import '@hushrec/papers/register';
import { methods, readSettings } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
import { paperClaim } from './paper-claim.js';

describe('paperClaim', () => {
  it('makes a sentence of each reason', () => {
    expect(paperClaim('ε', 'it is so', 'that too')).toEqual({
      claimedByPaper: { claim: 'ε', why: 'It is so. That too.' },
    });
  });
});

/** Every way to run a method in which its paper may claim more than is proved. */
const asPrinted = [{ repaired: false }, { unit: 'rating' }, { clipped: 'example', contribution: 'uniform' }];
const units = [{}, { unit: 'rating-value' }, { unit: 'rating-presence' }];

describe('the reasons why papers claim more than is proved', () => {
  const shape = { itemCount: 20, scale: { min: 1, max: 5, step: 1 }, delta: 1e-5, epsilon: 2, features: [] };
  const claims = methods.flatMap((method) =>
    asPrinted.flatMap((printed) =>
      units.flatMap((unit) => {
        const given = { ...unit, ...printed };
        const fits = Object.entries(given).every(([key, value]) => {
          const setting = method.settings[key];
          return setting?.type === 'choice' ? setting.choices.includes(`${value}`) : setting !== undefined;
        });
        if (!fits) return [];
        const { claimedByPaper } = method.plan(readSettings(method.settings, given), shape);
        return claimedByPaper === undefined ? [] : [{ id: method.id, ...claimedByPaper }];
      }),
    ),
  );

  it('are there for all methods that need them', () => {
    expect(new Set(claims.map(({ id }) => id))).toEqual(
      new Set([
        'am-ssp',
        'am-dpsgd',
        'dp-sgd',
        'private-global-effects',
        'input-perturbation',
        'private-sgd',
        'private-als',
        'private-knn',
        'dpmf',
        'dpimf',
      ]),
    );
  });

  it.each(claims)('of $id are whole sentences', ({ claim, why }) => {
    expect(claim).not.toMatch(/\.$/);
    expect(why).toMatch(/^\p{Lu}.*[^.]\.$/u);
    for (const sentence of why.split('. ')) expect(sentence).toMatch(/^\p{Lu}/u);
  });
});
