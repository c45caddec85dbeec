import '@hushrec/papers/register';
// Every setting of every method, in every mode that one other setting makes: it changes the plan or the
// model, or it is refused.
import { createHash } from 'node:crypto';
import type { Method } from '@hushrec/factorize';
import {
  executeRun,
  methods,
  planRun,
  readSettings,
  recorderWithoutPrivacy,
  SettingsError,
  type SettingValues,
} from '@hushrec/factorize';
import { createEngine, csrFromTriples } from '@hushrec/numerics';
import { type CalibratedPlan, calibrate, createRecorder, peopleCoins, RunSecret } from '@hushrec/privacy';
import { type FeatureSource, generateCatalogue, likedItems, type RatingMatrix } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';

const engine = await createEngine({ threads: 1 });
const { ratings, features: tokens } = generateCatalogue({ users: 16, items: 10, ratings: 80, seed: 2 });
const choices = likedItems(ratings, 3);
const items = ratings.itemCount;
const features: readonly FeatureSource[] = [
  ...(tokens ?? []),
  {
    kind: 'similarity',
    name: 'alike',
    byItem: csrFromTriples(items, items, [0, 1, 2, 3], [1, 0, 3, 2], [0.9, 0.9, 0.8, 0.8]),
  },
  {
    kind: 'public-ratings',
    name: 'critics',
    byUser: csrFromTriples(2, items, [0, 0, 1], [0, 1, 2], [5, 1, 4]),
    scale: ratings.scale,
  },
];

/** Settings that make runs short; none of them is a default. */
const short: SettingValues = {
  rank: 2,
  rounds: 2,
  innerSteps: 3,
  stepsPerRound: 2,
  embedding: 3,
  neighbours: 3,
};

/** Values to try for one setting, the likeliest to matter first. */
function trials(
  method: Method,
  key: string,
  settings: SettingValues,
): readonly (number | string | boolean)[] {
  const setting = method.settings[key];
  const now = settings[key];
  switch (setting.type) {
    case 'choice':
      return setting.choices.filter((each) => each !== now);
    case 'boolean':
      return [!now];
    case 'numbers-by-name':
      return ['critics:3', 'critics:0.5'];
    default: {
      const whole = setting.type === 'integer';
      const around = [Number(now) * 0.3, Number(now) * 3, Number(now) + 1, 3, 0.5, 0.3, setting.min];
      return [...new Set(around.map((each) => (whole ? Math.round(each) : each)))].filter(
        (each) => each >= setting.min && each <= Math.min(setting.max, 100) && each !== now,
      );
    }
  }
}

/**
 * By the noise of 1 `hush` finds no vectors among sixteen people, and what shapes them would change nothing.
 */
const seedOf = ({ id }: Method): number => (id === 'hush' ? 2 : 1);

const isPrivate = (method: Method) => method.protects.length > 0;
const common = (method: Method, data: RatingMatrix) => ({
  method,
  features,
  epsilon: isPrivate(method) ? 3 : Infinity,
  delta: isPrivate(method) ? 1e-5 : 0,
  seed: 1,
  itemCount: data.itemCount,
  scale: data.scale,
});

/** Calibrated once: most settings leave the plan as it is, and noise is dear to find. */
const calibrated = new Map<string, CalibratedPlan>();

/** Plan and model that come of these settings, each as one text; the refusal where they are refused. */
function prepare(method: Method, data: RatingMatrix, given: SettingValues) {
  const shape = common(method, data);
  const settings = readSettings(method.settings, { ...method.suggest?.(shape, given), ...given });
  const plan = method.plan(settings, shape);
  const words = JSON.stringify(plan);
  const known = () => {
    const noised = calibrated.get(words) ?? calibrate(plan, { epsilon: shape.epsilon, delta: shape.delta });
    calibrated.set(words, noised);
    return noised;
  };
  const train = async () => {
    const recorder = isPrivate(method)
      ? createRecorder(known(), { seed: seedOf(method) })
      : recorderWithoutPrivacy(plan, method.id, true);
    const { model, facts } = await executeRun(
      { method, settings, plan: recorder.plan, recorder },
      {
        ratings: data,
        features,
        engine,
        recorder,
        publicSeed: seedOf(method),
        coins: peopleCoins(new RunSecret({ seed: 1 })),
      },
    );
    const text = JSON.stringify([model, facts], (_, value) =>
      ArrayBuffer.isView(value)
        ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
        : value,
    );
    return createHash('sha256').update(text).digest('hex');
  };
  return { settings, words, train };
}

/** What these settings give beside `base`. */
async function compared(
  method: Method,
  data: RatingMatrix,
  given: SettingValues,
  base: { readonly words: string; readonly model: string },
): Promise<'same' | 'changed' | 'refused'> {
  try {
    const { words, train } = prepare(method, data, given);
    return words !== base.words || (await train()) !== base.model ? 'changed' : 'same';
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return 'refused'; // for a reason of its own
  }
}

/**
 * The base, and the base with one choice or switch set otherwise, or with a number at the value that changes
 * what counts.
 */
function modesOf(method: Method): SettingValues[] {
  const turning: Readonly<Record<string, number>> = {
    samplingRate: 0.5,
    unobservedWeight: 0.3,
    weightExponent: 0,
    itemFraction: 0.5,
  };
  return [
    {},
    ...Object.entries(method.settings).flatMap(([key, setting]): SettingValues[] => {
      if (setting.type === 'choice') return setting.choices.map((choice) => ({ [key]: choice }));
      if (setting.type === 'boolean') return [{ [key]: true }, { [key]: false }];
      return turning[key] === undefined ? [] : [{ [key]: turning[key] }];
    }),
  ];
}

/** What a mode makes; undefined where it is refused. */
async function prepareAll(method: Method, data: RatingMatrix, given: SettingValues) {
  try {
    const { settings, words, train } = prepare(method, data, given);
    return { settings, words, model: await train() };
  } catch {
    return undefined;
  }
}

/** What this comparison cannot tell, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'am-ssp projectRadius': 'shortens only vectors that are longer than targetBound/clipNorm',
  'knn userShrinkage': 'stands in the model, and scores of choices do not read it',
};

const cases = methods.flatMap((method) => [
  ...(method.feedback.includes('explicit') ? [[method.id, 'ratings', method, ratings] as const] : []),
  ...(method.feedback.includes('implicit') ? [[method.id, 'choices', method, choices] as const] : []),
]);

describe('a setting counts or is refused', () => {
  it.each(cases)('%s on %s', async (id, kind, method, data) => {
    const base = {
      ...Object.fromEntries(Object.entries(short).filter(([key]) => key in method.settings)),
      ...(kind === 'choices' && 'feedback' in method.settings && { feedback: 'implicit' }),
    };
    const modes = kind === 'choices' && method.feedback.includes('explicit') ? [{}] : modesOf(method);
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const mode of modes) {
      const given = { ...base, ...mode };
      const here = await prepareAll(method, data, given);
      if (here === undefined || seen.has(here.words + here.model)) continue; // impossible, or the base again
      seen.add(here.words + here.model);
      const idle = method.idle?.(here.settings, common(method, data)) ?? {};
      for (const key of Object.keys(method.settings)) {
        if (key in mode || `${id} ${key}` in exceptions) continue;
        const found = new Set<string>();
        for (const value of trials(method, key, here.settings)) {
          found.add(await compared(method, data, { ...given, [key]: value }, here));
          if (idle[key] === undefined && (found.has('changed') || found.has('refused'))) break;
          if (idle[key] === undefined) continue;
          const plan = () =>
            planRun({ ...common(method, data), settings: { ...given, [key]: value }, refusesIdle: true });
          expect(plan, `${key}=${value} with ${JSON.stringify(mode)}`).toThrow(SettingsError);
        }
        const isWrong =
          idle[key] === undefined ? found.size === 1 && found.has('same') : found.has('changed');
        if (isWrong)
          wrong.push(`${key} with ${JSON.stringify(mode)} is ${idle[key] ? 'called' : 'in fact'} idle`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
