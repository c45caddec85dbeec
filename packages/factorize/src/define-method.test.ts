import { describe, expect, it } from 'vitest';
import { defineMethod } from './define-method.js';
import { methods } from './registry.js';
import { within } from './search-space.js';
import { readSettings, SettingsError, type SettingsSchema } from './settings.js';

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
  plan: () => ({ unit: 'user', relation: 'add-remove', released: 'nothing', releases: [] }),
  train: () => Promise.reject(new Error('not trained')),
} as const satisfies Parameters<typeof defineMethod<typeof settings>>[0];

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

  it('is what every method of the registry is made with', () => {
    for (const method of methods)
      expect(() => method.plan({ noSuchSetting: 1 }, shape), method.id).toThrow(SettingsError);
  });
});
