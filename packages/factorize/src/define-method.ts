import type { ReleasePlan } from '@hushrec/privacy';
import type { FeatureSource } from '@hushrec/ratings';
import type { Method, PublicShape, TrainedModel, TrainingInput } from './method.js';
import type { SearchSpace } from './search-space.js';
import { type SettingsOf, type SettingsSchema, typedSettings } from './settings.js';

/** A method as its file writes it: the schema says what its settings are, and everything else sees them by these types. */
export interface MethodDefinition<Schema extends SettingsSchema>
  extends Omit<Method, 'settings' | 'clips' | 'search' | 'checkSources' | 'suggest' | 'plan' | 'train'> {
  readonly settings: Schema;
  readonly clips?: readonly (keyof NoInfer<Schema> & string)[];
  readonly search?: SearchSpace<keyof NoInfer<Schema> & string>;
  checkSources?(settings: SettingsOf<NoInfer<Schema>>, features: readonly FeatureSource[]): void;
  suggest?(shape: PublicShape): Readonly<Partial<SettingsOf<NoInfer<Schema>>>>;
  plan(settings: SettingsOf<NoInfer<Schema>>, shape: PublicShape): ReleasePlan;
  train(input: TrainingInput<SettingsOf<NoInfer<Schema>>>): Promise<TrainedModel>;
}

/**
 * A method for the registry: settings arrive there as names and values, are given their types here, once, and nowhere else.
 *
 * @throws SettingsError, when it is planned or trained, for a setting that its schema does not have or that has another type
 */
export function defineMethod<const Schema extends SettingsSchema>(
  definition: MethodDefinition<Schema>,
): Method<Schema> {
  const { settings: schema, checkSources, ...rest } = definition;
  return {
    ...rest,
    settings: schema,
    ...(checkSources && {
      checkSources: (given, features) => checkSources(typedSettings(schema, given), features),
    }),
    plan: (given, shape) => definition.plan(typedSettings(schema, given), shape),
    train: (input) => definition.train({ ...input, settings: typedSettings(schema, input.settings) }),
  };
}
