import { WeakGuaranteeError } from '@hushrec/model/making';
import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedCharter } from './charter.js';
import type { ContributorPolicy } from './contributor-policy.js';
import { chargedRuns } from './contributor-record.js';
import { MemoryFolder } from './durable-folder.js';
import { smallCharter, smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';
import type { TakePartOptions } from './visits.js';

let engine: Engine;
let keys: SigningKey[];
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
});
afterAll(() => engine.close());

/** Sets δ at its limit of 1/(10 × 1,000 people). */
const asked = { epsilon: 5, delta: 1e-4, mostPeople: 1000, acceptWeak: false };
const draft = (change: Partial<typeof asked> & { readonly simulation?: true } = {}) =>
  smallCharter(keys, { engine }, { ...asked, ...change });

describe('a charter that promises next to nothing', () => {
  it.each([
    ['ε above 20', { epsilon: 20.1 }, /ε = 20\.1 promises next to nothing.*Nothing was written\.$/],
    ['δ above 1/(10 × people)', { delta: 1.1e-4 }, /Choose δ ≤ 0\.0001, or say --accept-weak/],
  ])('is not written: %s', async (_, change, words) => {
    await expect(draft(change)).rejects.toThrow(WeakGuaranteeError);
    await expect(draft(change)).rejects.toThrow(words);
    for (const meant of [{ acceptWeak: true }, { simulation: true } as const])
      expect((await draft({ ...change, ...meant })).charter.plan).toMatchObject(change);
  });

  it('is written at the limits', async () => {
    expect((await draft({ epsilon: 20 })).charter.plan).toMatchObject({ epsilon: 20, delta: 1e-4 });
  });
});

describe('one who takes part', () => {
  /** Why nothing was handed in; undefined where something was. */
  async function refusal(
    charter: Parameters<typeof draft>[0],
    policy: Partial<ContributorPolicy>,
    more: Partial<TakePartOptions> = {},
    changed: (signed: SignedCharter) => SignedCharter = (signed) => signed,
  ): Promise<string | undefined> {
    let sent = 0;
    const folder = new MemoryFolder();
    const taking = takePart(
      changed(await draft({ ...charter, acceptWeak: true })),
      smallRatings,
      { engine },
      { trusted: [keys[0].publicKey], mostEpsilon: 20, kept: 'many-people', ...policy },
      {
        aggregators: [0, 1].map(() => ({
          put: async () => {
            sent++;
            return { status: 201 as const, reason: '' };
          },
        })),
        log: { peek: async () => undefined, entry: async () => ({ over: 'enough.', exchange: 0 }) },
      },
      { folder, checked: true, ...more },
    );
    const reason = await taking.then(
      () => '',
      (error: Error) => error.message,
    );
    if (sent > 0) return undefined;
    expect(await chargedRuns(folder), 'refused before it is charged').toEqual([]);
    return reason;
  }

  // @door page take-part: plan-hash
  it('refuses another plan than the one that was signed, before anything is charged', async () => {
    const dearer = (signed: SignedCharter): SignedCharter => ({
      ...signed,
      charter: { ...signed.charter, plan: { ...signed.charter.plan, epsilon: 6 } },
    });
    expect(await refusal({}, {}, {}, dearer)).toContain('it was changed after it was signed.');
  });

  it('refuses a weak δ that its owner has not allowed, and any that is above what was', async () => {
    expect(await refusal({}, {})).toBeUndefined();
    expect(await refusal({ delta: 2e-4 }, {})).toMatch(
      /^The charter is refused: its δ = 0\.0002 is above 1\/\(10 × 1000 people\).*Nothing was charged\.$/,
    );
    expect(await refusal({ delta: 2e-4 }, { mostDelta: 2e-4 })).toBeUndefined();
    expect(await refusal({ delta: 2e-6 }, { mostDelta: 1e-6 })).toContain(
      'asks for δ = 0.000002, and you allow',
    );
    expect(await refusal({ delta: 2e-4, simulation: true }, {}), 'a simulation').toBeUndefined();
  });

  // @door page take-part: charge
  it('refuses more ε than its owner allows, wherever it is charged', async () => {
    const charge = async () => undefined;
    expect(await refusal({ epsilon: 21 }, {})).toContain('allowed are 20 in all. Nothing was handed in.');
    expect(await refusal({ epsilon: 21 }, {}, { charge })).toContain('asks for ε = 21, and you allow 20.');
    expect(await refusal({ epsilon: 21 }, { mostEpsilon: 21 }, { charge })).toBeUndefined();
  });

  it('refuses more bytes than its owner allows', async () => {
    expect(await refusal({}, { mostBytes: 100 })).toMatch(/it would send \d+ bytes, and you allow 100\./);
  });
});
