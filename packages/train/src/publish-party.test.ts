import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectInProcess, coordinate, Party, shareOut } from '@hushrec/federate';
import { smallRatings } from '@hushrec/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { publishParty, UnpaidSessionError } from './publish-party.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-party-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ratings = smallRatings(12, 10, 4);
const about = {
  items: { itemIds: Array.from({ length: 10 }, (_, item) => `item-${item}`) },
  userIds: [],
  account: 'account',
  codeVersion: 'test',
};

async function session(charge?: () => Promise<string>, noise: { seed?: number } = {}): Promise<Party[]> {
  const parties = shareOut(ratings, 'item', 2, Math.random).map(
    (share, at) => new Party(`p${at}`, share.ratings, { mostEpsilon: 5, ...(charge && { charge }) }, noise),
  );
  await coordinate(
    {
      session: 's',
      shared: 'item',
      rows: 10,
      rounds: 2,
      epsilon: 2,
      settings: { rank: 3 },
      contribution: 'sums',
    },
    parties.map(connectInProcess),
    Math.random,
  );
  return parties;
}

const publish = (party: Party, name: string) =>
  publishParty(party, about, { out: join(folder, name), overwrite: false });

describe('publishing what a party holds after a session', () => {
  it('is refused before its end, without a charge to an account, and for a seed', async () => {
    const begun = new Party('p', ratings, { mostEpsilon: 5, charge: async () => 'entry' });
    for (const party of [begun, (await session())[0], (await session(async () => 'entry', { seed: 1 }))[0]])
      await expect(publish(party, 'none')).rejects.toThrow(UnpaidSessionError);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });

  it('is not begun when the account refuses', async () => {
    const refuse = async () => {
      throw new Error('the grant is used up');
    };
    await expect(session(refuse)).rejects.toThrow('parties are left');
  });

  it('states what this party proved and who charged it; every party has the same shared vectors', async () => {
    const parties = await session(async () => 'entry-7');
    const [one, other] = await Promise.all(parties.map((party, at) => publish(party, `model-${at}`)));
    expect(one.certificate).toMatchObject({
      unit: 'rating-presence',
      epsilon: 2,
      simulation: false,
      ledgerEntry: 'entry-7',
      account: 'account',
    });
    expect(one.model).toEqual(other.model);
    expect((one.model as { itemFactors: Float32Array }).itemFactors.some((value) => value !== 0)).toBe(true);
  });
});
