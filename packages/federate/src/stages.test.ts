import type { Method } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import { calibrate, createRecorder, sensitive, squaredMu } from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditLog } from './certify-run.js';
import { draftCharter } from './draft-charter.js';
import { checkerboard, dealt, unsignedRequest } from './equality.test.data.js';
import { checkCharterByDryRun } from './participant.js';
import type { LogReader } from './release-log.js';
import { Follower, scheduleOf } from './schedule.js';
import { simulateRun } from './simulate-run.js';

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
});
afterAll(() => engine.close());

const gridStep = 2 ** -10;

/**
 * Counts items; then, by what was released, releases either the totals of all items once, or those of the
 * most popular ones three times: lines, lengths and noise of later stages depend on earlier releases.
 * `greedy` asks for more than the total.
 */
function twoStages(greedy = false): Method {
  return {
    id: 'two-stages',
    title: 'A plan in stages',
    paper: 'none',
    feedback: ['explicit'],
    protects: [{ unit: 'user', relation: 'add-remove' }],
    needs: 'ratings',
    settings: {},
    plan: () => ({
      unit: 'user',
      relation: 'add-remove',
      released: 'counts and totals',
      releases: [
        { name: 'item-counts', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 0.2 },
      ],
      later: {
        stages: 1,
        lines: 1,
        numbers: 100,
        rule: 'totals of items whose count is clear',
        allowed: [{ name: 'item-totals', sensitivity: 5, count: 3, numbers: 30 }],
      },
    }),
    train: async (input) => {
      const { ratings, recorder, features } = input as typeof input & { ratings: RatingMatrix };
      const sums = (each: (value: number) => number, items: readonly number[]) => {
        const out = new Float64Array(items.length);
        const { byUser } = ratings;
        for (let user = 0; user < byUser.rowCount; user++) {
          const size = byUser.offsets[user + 1] - byUser.offsets[user];
          for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++) {
            const place = items.indexOf(byUser.indices[at]);
            if (place >= 0) out[place] += Math.trunc(each(byUser.values[at]) / Math.sqrt(size) / gridStep);
          }
        }
        return out;
      };
      const all = Array.from({ length: ratings.itemCount }, (_, item) => item);
      const open = recorder.begin('item-counts');
      const counts = await open.add(
        0,
        sensitive(
          sums(() => 1, all),
          'l2',
          1,
        ),
        gridStep,
      );
      open.close();
      const clear = all.filter((item) => counts[item] > 2 * open.noise);
      const few = clear.length < all.length / 2;
      const chosen = few ? all : clear;
      const count = few ? 1 : 3;
      recorder.stage([
        {
          name: 'item-totals',
          mechanism: { kind: 'gaussian' },
          sensitivity: 5,
          count,
          share: greedy ? 0.9 : 0.8,
        },
      ]);
      let totals = new Float64Array(chosen.length);
      for (let time = 0; time < count; time++) {
        const next = recorder.begin('item-totals');
        const got = await next.add(
          0,
          sensitive(
            sums((value) => value, chosen),
            'l2',
            5,
          ),
          gridStep,
        );
        totals = totals.map((value, at) => value + got[at] / count);
        next.close();
      }
      expect(features).toEqual([]);
      return {
        model: {
          kind: 'factors',
          feedback: 'explicit',
          rank: 1,
          itemFactors: Float32Array.from(all, (item) => totals[chosen.indexOf(item)] ?? 0),
          offset: 3,
          foldIn: { ridge: 1, ridgeExponent: 0, unobservedWeight: 0 },
        } as never,
      };
    },
  };
}

const ratings = checkerboard(24, 10, 6);
const request = { epsilon: 50, delta: 1e-5, method: 'two-stages', codeVersion: 'test', publicSeed: 1 };

describe('a plan in stages, federated', () => {
  it.each([1, 100])('later exchanges follow from the log, for everyone alike (ε = %d)', async (epsilon) => {
    const method = twoStages();
    const run = await simulateRun(
      {
        ...request,
        epsilon,
        shares: dealt(ratings, 24),
        kept: 'one-person',
        aggregatorCount: 2,
        noise: { by: 'aggregators', honestNeeded: 1 },
      },
      { engine, method },
    );
    const { charter } = run.signed;
    expect(charter.exchanges, 'the first stage alone').toHaveLength(1);
    expect(charter.wordBytes).toBe(6);
    expect([2, 4]).toContain(run.board.length);
    for (const { result, zerosBecause } of run.participants) {
      expect(zerosBecause).toBeUndefined();
      expect(result.model).toEqual(run.replayed.model);
    }
    await checkCharterByDryRun(charter, { engine, method });
    await auditLog(charter, run.board);
    const follower = new Follower(charter, run.board, { engine, method });
    const last = (await follower.at(run.board.length - 1))!;
    expect(last.lines.map(({ name }) => name)).toEqual(['item-totals']);
    expect(last.plan.releases).toHaveLength(2);
    // What the noise makers add is the certified noise of the later line, which Σμ² counts.
    const central = createRecorder(
      calibrate(method.plan({}, { ...charter.catalogue, ...request, features: [] }), {
        epsilon,
        delta: 1e-5,
      }),
      { seed: 1 },
    );
    expect(central.plan.total?.mu).toBe(last.plan.total?.mu);
    const { releases } = run.replayed.record;
    expect(releases.map(({ name }) => name)).toEqual(['item-counts', 'item-totals']);
  });

  it('is followed by nobody who has not asked for lines', async () => {
    const method = twoStages();
    const { charter } = await draftCharter(unsignedRequest(ratings, request), { engine, method });
    let asked = 0;
    const log: LogReader = {
      peek: async () => undefined,
      entry: async (exchange) => {
        asked++;
        return { over: 'enough', exchange };
      },
    };
    const schedule = scheduleOf(charter, log, { engine, method });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toBe(0);
    expect((await schedule.at(0))?.lines).toEqual(charter.exchanges[0]);
    expect(asked).toBe(1);
  });

  it('is refused for more people than words can count', async () => {
    const many = { ...unsignedRequest(ratings, request), mostPeople: 1e12 };
    await expect(draftCharter(many, { engine, method: twoStages() })).rejects.toThrow(
      /A sum may reach \S+ grid steps/,
    );
  });

  // The stage allocator shrinks what is asked for to what is left, at every participant alike.
  it('a rule that asks for more than the total gets what is left, and more noise', async () => {
    const method = twoStages(true);
    const run = await simulateRun(
      {
        ...request,
        shares: dealt(ratings, 3),
        kept: 'many-people',
        aggregatorCount: 2,
        noise: { by: 'aggregators', honestNeeded: 1 },
      },
      { engine, method },
    );
    const follower = new Follower(run.signed.charter, run.board, { engine, method });
    const { plan } = (await follower.at(run.board.length - 1))!;
    const total = plan.total!.mu ** 2;
    expect(squaredMu(plan.releases)).toBeLessThanOrEqual(total);
    expect(squaredMu(plan.releases)).toBeGreaterThan(0.999 * total);
    const { sensitivity, noise, count } = plan.releases[1];
    expect(count * (sensitivity / noise) ** 2, 'not the 0.9 that the rule asked for').toBeLessThan(
      0.801 * total,
    );
  });
});
