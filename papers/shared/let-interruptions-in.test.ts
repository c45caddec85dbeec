import { calibrate, createRecorder } from '@hushrec/privacy';
import { coinsOf, ratingsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { ratingLevelMethods } from '../methods.js';

const everyone = Array.from({ length: 300 }, (_, user) => {
  const items = Array.from({ length: 8 }, (_, at) => (user + 5 * at) % 40);
  return { name: `${user}`, items, ratings: items.map((item) => 1 + ((user + item) % 5)) };
});
const ratings = ratingsOf(everyone, 40);

/** Averages are a few sums: over before anyone could interrupt. */
const lengthy = ratingLevelMethods.filter(({ id }) => id !== 'private-global-effects');

describe('interrupting a rating-level method', () => {
  it.each(lengthy.map((method) => [method.id, method] as const))(
    '%s stops at the next turn',
    async (_, method) => {
      const settings = 'rounds' in method.settings ? { rounds: 1000 } : {};
      const shape = { itemCount: 40, scale: ratings.scale, epsilon: 5, delta: 0, features: [] };
      const plan = calibrate(method.plan(settings, shape), { epsilon: 5, delta: 0 });
      const controller = new AbortController();
      // A timer, as a signal handler is: it runs only if training lets the event loop turn.
      setTimeout(() => controller.abort(), 0);
      await expect(
        method.train({
          ratings,
          settings,
          recorder: createRecorder(plan, { seed: 1 }),
          random: () => 0.5,
          coins: coinsOf(everyone, 1),
          features: [],
          engine: undefined as never,
          signal: controller.signal,
        }),
      ).rejects.toThrow('aborted');
    },
  );
});
