import type { ReleasePlan } from '@hushrec/privacy';
import type { FeatureSource, RatingMatrix } from '@hushrec/ratings';
import { LocalPeople, NoPeople } from '@hushrec/statistics';
import type { IdleSettings } from './idle-settings.js';
import type { Method, Needs, PeopleInput, PublicShape, TrainedModel, TrainingInput } from './method.js';
import type { SearchSpace } from './search-space.js';
import { type SettingsOf, type SettingsSchema, typedSettings } from './settings.js';

/** What a method sees, by what it needs. */
type InputOf<Need extends Needs, Settings> = Need extends 'people'
  ? PeopleInput<Settings>
  : TrainingInput<Settings>;

/**
 * A method as its file writes it: the schema says what its settings are, and everything else sees them by
 * these types.
 */
export interface MethodDefinition<Schema extends SettingsSchema, Need extends Needs>
  extends Omit<
    Method,
    | 'settings'
    | 'needs'
    | 'clips'
    | 'search'
    | 'checkSources'
    | 'sameAs'
    | 'asksAbout'
    | 'suggest'
    | 'idle'
    | 'plan'
    | 'train'
  > {
  readonly settings: Schema;
  readonly needs: Need;
  readonly clips?: readonly (keyof NoInfer<Schema> & string)[];
  readonly search?: SearchSpace<keyof NoInfer<Schema> & string>;
  checkSources?(settings: SettingsOf<NoInfer<Schema>>, features: readonly FeatureSource[]): void;
  sameAs?(settings: SettingsOf<NoInfer<Schema>>, features: readonly FeatureSource[]): string | undefined;
  asksAbout?(settings: SettingsOf<NoInfer<Schema>>): boolean;
  suggest?(
    shape: PublicShape,
    given: Readonly<Record<string, unknown>>,
  ): Readonly<Partial<SettingsOf<NoInfer<Schema>>>>;
  idle?(
    settings: SettingsOf<NoInfer<Schema>>,
    shape: PublicShape,
  ): IdleSettings<keyof NoInfer<Schema> & string>;
  plan(settings: SettingsOf<NoInfer<Schema>>, shape: PublicShape): ReleasePlan;
  train(input: InputOf<NoInfer<Need>, SettingsOf<NoInfer<Schema>>>): Promise<TrainedModel>;
}

/** The method must see all rows, and people are elsewhere. */
export class NeedsRatingsError extends Error {
  override readonly name = 'NeedsRatingsError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    super(
      `${method} must see all ratings in one process, and people are elsewhere. Use a method that works from sums, such as hush.`,
    );
    this.method = method;
  }
}

/** Settings that learn from what people say about themselves, where nobody was asked. */
export class NothingSaidError extends Error {
  override readonly name = 'NothingSaidError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string) {
    super(
      `${method} with these settings learns from what people say about themselves, and this data has ratings alone: data sets do not hold features of people. Train in a federated run, where they stay on people’s devices, or leave peopleFeatures out.`,
    );
    this.method = method;
  }
}

/** @throws NothingSaidError where nobody said anything about themselves */
export function requireAbout(method: string, data: { readonly ratings?: RatingMatrix }): void {
  if (data.ratings?.about === undefined) throw new NothingSaidError(method);
}

/**
 * A method for the registry: settings arrive there as names and values, are given their types here, once, and
 * nowhere else; and a method that needs people gets them, and no rows.
 *
 * @throws SettingsError, when it is planned or trained, for a setting that its schema does not have or that
 * has another type
 */
export function defineMethod<const Schema extends SettingsSchema, const Need extends Needs>(
  definition: MethodDefinition<Schema, Need>,
): Method<Schema> {
  const { settings: schema, checkSources, sameAs, asksAbout, idle, ...rest } = definition;
  return {
    ...rest,
    settings: schema,
    ...(checkSources && {
      checkSources: (given, features) => checkSources(typedSettings(schema, given), features),
    }),
    ...(sameAs && { sameAs: (given, features) => sameAs(typedSettings(schema, given), features) }),
    ...(asksAbout && { asksAbout: (given) => asksAbout(typedSettings(schema, given)) }),
    ...(idle && { idle: (given, shape) => idle(typedSettings(schema, given), shape) }),
    plan: (given, shape) => definition.plan(typedSettings(schema, given), shape),
    train: async (input) => {
      const settings = typedSettings(schema, input.settings);
      const seen = definition.needs === 'people' ? withPeople(input) : withRatings(input, definition.id);
      return definition.train({ ...seen, settings } as InputOf<Need, typeof settings>);
    },
  };
}

/**
 * A plug-in's method as commands use it. Where it needs people it gets this program's, and no rows: whatever
 * made it (`defineMethod` of another copy of Hushrec, or no `defineMethod` at all), its sums can be opened by
 * this program's mechanisms alone.
 */
export function guardedMethod(method: Method): Method {
  if (method.needs === 'ratings') return method;
  return { ...method, train: (input) => method.train(withPeople(input) as GivenInput) };
}

type GivenInput = Parameters<Method['train']>[0];

function withPeople(input: GivenInput): PeopleInput<unknown> {
  const coins = { line: input.coins.line };
  if ('people' in input) return { ...input, coins };
  const {
    ratings,
    coins: { ids },
    ...rest
  } = input;
  const people =
    ratings.byUser.rowCount === 0
      ? new NoPeople(ratings.itemCount, ratings.scale)
      : new LocalPeople(ratings, input.engine, ids && { ids });
  return { ...rest, people, coins };
}

function withRatings(input: GivenInput, method: string): TrainingInput<unknown> {
  if ('people' in input) throw new NeedsRatingsError(method);
  return input;
}
