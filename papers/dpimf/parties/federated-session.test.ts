import { MemoryFolder, shareOut } from '@hushrec/federate';
import { smallRatings, withoutRating } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { coordinate, TooFewPartiesError } from './coordinator.js';
import type { CoordinatorMessage, PartyMessage } from './messages.js';
import { Party } from './party.js';
import { simulateParties } from './simulate.js';
import { connectInProcess, type PartyConnection } from './transport.js';

const settings = { rank: 3, l1Bound: 0.5, l2Bound: 0.5 };
const ratings = smallRatings(12, 10, 4);

function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

function parties(count: number, mostEpsilon = 10): Party[] {
  return shareOut(ratings, 'item', count, randomFrom(3)).map(
    (share, at) => new Party(`p${at}`, share.ratings, { mostEpsilon }, { seed: 5 }),
  );
}

const offer = {
  session: 's',
  shared: 'item',
  rows: 10,
  rounds: 2,
  epsilon: 2,
  settings,
  contribution: 'sums',
} as const;

const invitation: CoordinatorMessage = { ...offer, kind: 'invitation', localRounds: 1 };

describe('a federated session', () => {
  it.each(['item', 'user'] as const)(
    'without noise, shared %ss: any number of parties finds what one would',
    async (shared) => {
      const request = {
        shared,
        rounds: 3,
        epsilon: Number.POSITIVE_INFINITY,
        settings,
        contribution: 'sums',
      } as const;
      // The same initial profiles for both: dealing out members draws from another stream.
      const alone = await simulateParties(ratings, 1, request, 1, randomFrom(9));
      const many = await simulateParties(ratings, 4, request, 1, randomFrom(9));
      expect(many.items.length).toBe(alone.items.length);
      for (let at = 0; at < alone.items.length; at++) expect(many.items[at]).toBeCloseTo(alone.items[at], 6);
      // The control: with one rating less they are others, and so they are not all nothing.
      const fewer = await simulateParties(withoutRating(ratings, 0), 4, request, 1, randomFrom(9));
      const apart = alone.items.map((value, at) => Math.abs(fewer.items[at] - value));
      expect(Math.max(...apart)).toBeGreaterThan(1e-4);
    },
  );

  it('gives each party its own guarantee, and records what it paid for', async () => {
    const members = parties(3);
    const result = await coordinate(offer, members.map(connectInProcess), randomFrom(1));
    expect([...result.guarantees.values()]).toHaveLength(3);
    for (const { epsilon, unit } of result.guarantees.values()) {
      expect(epsilon).toBe(2);
      expect(unit).toBe('rating-presence');
    }
    for (const member of members) {
      expect(member.record?.releases.map(({ count }) => count)).toEqual([2, 2]);
      expect(member.ownProfiles).toBeDefined();
    }
  });

  it('keeps raw fits apart from what was paid for', async () => {
    const request = { shared: 'user', rounds: 2, epsilon: 2, settings, contribution: 'sums' } as const;
    const { publishedOwn, items, records } = await simulateParties(ratings, 3, request, 1, randomFrom(9));
    expect(records.size).toBe(3);
    expect(publishedOwn).toHaveLength(items.length);
    expect(publishedOwn).not.toEqual(items);
    const printed = {
      ...request,
      settings: { ...settings, repaired: false },
      contribution: 'profiles',
    } as const;
    const raw = await simulateParties(ratings, 3, printed, 1, randomFrom(9));
    expect(raw.publishedOwn).toBeUndefined();
  });

  it('lets a party refuse a session that promises its people too little', async () => {
    const cautious = parties(2, 1).map(connectInProcess);
    await expect(coordinate(offer, cautious, randomFrom(1))).rejects.toThrow(TooFewPartiesError);
    const printed = { ...invitation, settings: { ...settings, repaired: false } };
    const answer = await parties(1, 1e9)[0].handle(printed);
    expect(answer).toMatchObject({ kind: 'refused', reason: 'guarantee-too-weak' });
  });

  it('remembers what it has spent over all sessions, also after it was started again', async () => {
    const folder = new MemoryFolder();
    const open = () => new Party('p', ratings, { mostEpsilon: 5 }, { seed: 5 }, folder);
    let party = open();
    const invite = (session: string) => party.handle({ ...invitation, session });
    const answers = await Promise.all(['a', 'b', 'c'].map(invite));
    expect(answers.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'refused']);
    party = open();
    expect(await invite('d')).toMatchObject({ reason: 'guarantee-too-weak' });
    expect(await invite('a'), 'begun before').toMatchObject({ reason: 'out-of-order' });
  });

  it('never answers a round twice, out of order, or for another session', async () => {
    const [party] = parties(1);
    await party.handle(invitation);
    const profiles = new Float64Array(30).fill(0.1);
    const ask = (round: number, session = 's') => party.handle({ kind: 'round', session, round, profiles });
    expect((await ask(1)).kind).toBe('refused');
    expect((await ask(0, 'other')).kind).toBe('refused');
    const [first, again] = await Promise.all([ask(0), ask(0)]);
    expect(first.kind).toBe('sums');
    expect(again).toMatchObject({ kind: 'refused', reason: 'out-of-order' });
    expect(
      await party.handle({ kind: 'round', session: 's', round: 1, profiles: new Float64Array(3) }),
    ).toMatchObject({
      kind: 'refused',
      reason: 'malformed',
    });
  });

  it('answers or refuses profiles that nothing can be fitted to, and ends without telling whether its own data could', async () => {
    const kinds = new Set<string>();
    let failed = 0;
    for (const value of [1e300, Number.MAX_VALUE, 1e160, 5e-324]) {
      const hostile = new Float64Array(30).map((_, at) => (at % 2 === 0 ? value : -value));
      const [one, other] = [parties(1)[0], parties(1)[0]];
      for (const party of [one, other]) await party.handle(invitation);
      const round = { kind: 'round', session: 's', round: 0, profiles: hostile } as const;
      kinds.add((await one.handle(round)).kind);
      const end = await other.handle({ kind: 'finish', session: 's', profiles: hostile });
      expect(end.kind).toBe('finished');
      if (other.ownProfiles === undefined) failed++;
    }
    expect([...kinds].filter((kind) => kind !== 'sums' && kind !== 'refused')).toEqual([]);
    expect(failed, 'fits that failed inside the party').toBeGreaterThan(0);
  });

  it('goes on without a party that fails, and stops when too few are left', async () => {
    const [one, two] = parties(2).map(connectInProcess) as [PartyConnection, PartyConnection];
    const failing: PartyConnection = {
      party: 'p1',
      request: (message) =>
        message.kind === 'round' ? Promise.reject(new Error('line cut')) : two.request(message),
    };
    const result = await coordinate(offer, [one, failing], randomFrom(1));
    expect(result.lost).toEqual([{ party: 'p1', round: 0, reason: 'line cut' }]);
    const needsTwo = { ...offer, session: 't', leastParties: 2 };
    await expect(coordinate(needsTwo, [one, failing], randomFrom(1))).rejects.toThrow('line cut');
  });

  it('leaves out a party whose numbers are not numbers', async () => {
    const [one, two] = parties(2).map(connectInProcess) as [PartyConnection, PartyConnection];
    const broken: PartyConnection = {
      party: 'p1',
      async request(message) {
        const answer = await two.request(message);
        if (answer.kind === 'sums') answer.linear[0] = Number.NaN;
        return answer;
      },
    };
    const { lost } = await coordinate(offer, [one, broken], randomFrom(1));
    expect(lost[0]?.reason).toContain('finite numbers');
  });

  it('an interaction reaches only the messages of the party that holds it', async () => {
    const transcript = async (of: typeof ratings) => {
      const messages: PartyMessage[] = [];
      for (const [at, share] of shareOut(of, 'item', 3, randomFrom(3)).entries()) {
        const party = new Party(`p${at}`, share.ratings, { mostEpsilon: 10 }, { seed: 5 });
        await party.handle(invitation);
        messages.push(
          await party.handle({
            kind: 'round',
            session: 's',
            round: 0,
            profiles: new Float64Array(30).fill(0.1),
          }),
        );
      }
      return messages;
    };
    const before = await transcript(ratings);
    const after = await transcript(withoutRating(ratings, 0));
    const changed = before.filter((message, at) => JSON.stringify(message) !== JSON.stringify(after[at]));
    expect(changed).toHaveLength(1);
  });
});
