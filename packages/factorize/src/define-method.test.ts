import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { NoPeople, peopleCount } from '@hushrec/statistics';
import { coinsOf } from '@hushrec/testing';
import { describe, expect, it } from 'vitest';
import { defineMethod, NeedsRatingsError } from './define-method.js';
import { methods } from './registry.js';
import { within } from './search-space.js';
import { readSettings, SettingsError, type SettingsSchema } from './settings.js';
import { recorderWithoutPrivacy } from './without-privacy.js';

const settings = {
  rank: { type: 'integer', default: 3, min: 1, max: 9, description: 'Length of the vectors.' },
  feedback: { type: 'choice', default: 'explicit', choices: ['explicit', 'implicit'], description: 'Kind.' },
} as const satisfies SettingsSchema;

const base = {
  id: 'nothing',
  title: 'Nothing',
  paper: 'none',
  feedback: ['explicit'],
  protects: [],
  settings,
  needs: 'ratings',
  plan: () => ({ unit: 'user', relation: 'add-remove', released: 'nothing', releases: [] }),
  train: () => Promise.reject(new Error('not trained')),
} as const satisfies Parameters<typeof defineMethod<typeof settings, 'ratings'>>[0];

const shape = { itemCount: 1, scale: { min: 1, max: 5, step: 1 }, epsilon: 1, delta: 1e-6, features: [] };

describe('defineMethod', () => {
  it('gives plans and trainings their settings typed, with defaults', async () => {
    const seen: unknown[] = [];
    const method = defineMethod({
      ...base,
      plan: (given) => {
        const rank: number = given.rank;
        const feedback: 'explicit' | 'implicit' = given.feedback;
        seen.push(rank, feedback);
        return base.plan();
      },
    });
    method.plan({ rank: 7 }, shape);
    expect(seen).toEqual([7, 'explicit']);
  });

  it('refuses settings that the schema does not have or that have another type', () => {
    const method = defineMethod(base);
    expect(() => method.plan({ width: 1 }, shape)).toThrow(SettingsError);
    expect(() => method.plan({ dimensions: 1 }, shape)).toThrow('dimensions is now called rank');
    expect(() => method.plan({ rank: 'three' }, shape)).toThrow(SettingsError);
    // Ranges are checked at the door, by readSettings: an audit without clips goes beyond them on purpose.
    expect(() => method.plan({ rank: 1000 }, shape)).not.toThrow();
    expect(() => readSettings(settings, { rank: 1000 })).toThrow(SettingsError);
  });

  it('refuses by type what is not a setting', () => {
    // @ts-expect-error a clip must be a setting
    defineMethod({ ...base, clips: ['width'] });
    // @ts-expect-error what is searched must be a setting
    defineMethod({ ...base, search: { width: within(2) } });
    // @ts-expect-error a suggestion has the setting's type
    defineMethod({ ...base, suggest: () => ({ rank: 'three' }) });
    // @ts-expect-error a choice is one of its choices
    defineMethod({ ...base, suggest: () => ({ feedback: 'other' }) });
    // @ts-expect-error plans see settings of the schema only
    defineMethod({ ...base, plan: (given) => ({ ...base.plan(), released: String(given.width) }) });
  });

  it('gives a method that needs people nothing of their rows, by type and in fact', async () => {
    const { ratings } = generateCatalogue({ users: 9, items: 5, ratings: 20, seed: 1 });
    const engine = await createEngine({ threads: 1, kernel: 'scalar' });
    const recorder = recorderWithoutPrivacy(base.plan(), 'nothing', false);
    const rest = { features: [], settings: {}, engine, recorder, random: Math.random, coins: coinsOf([], 1) };
    let seen: readonly string[] = [];
    const method = defineMethod({
      ...base,
      needs: 'people',
      train: async (input) => {
        // @ts-expect-error no rows
        expect(input.ratings).toBeUndefined();
        // @ts-expect-error no number of people
        expect(input.people.userCount).toBeUndefined();
        expect(input.people.itemCount).toBe(5);
        // @ts-expect-error no ids of people
        expect(input.coins.ids).toBeUndefined();
        seen = Object.keys(input).sort();
        const { count } = await input.people.sum(peopleCount, null);
        // @ts-expect-error what was summed is for mechanisms only
        expect(count.statistic.value).toBeUndefined();
        return {
          model: { kind: 'baseline', feedback: 'explicit', offset: 0, itemBias: new Float32Array(5) },
        };
      },
    });
    await method.train({ ...rest, ratings });
    expect(seen).toEqual(['coins', 'engine', 'features', 'people', 'random', 'recorder', 'settings']);
    // Where people are elsewhere, a method that needs rows is refused.
    const people = new NoPeople(5, ratings.scale);
    await method.train({ ...rest, people });
    await expect(defineMethod(base).train({ ...rest, people })).rejects.toThrow(NeedsRatingsError);
    // @ts-expect-error a method that needs rows has no people
    defineMethod({ ...base, train: (input) => Promise.reject(input.people) });
    await engine.close();
  });

  it('is what every method of the registry is made with', () => {
    for (const method of methods)
      expect(() => method.plan({ noSuchSetting: 1 }, shape), method.id).toThrow(SettingsError);
  });
});
