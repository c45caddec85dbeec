import type { PlannedMechanism, PrivacyEvent, ReleasePlan } from '@hushrec/privacy';
import { type Command, Option } from 'commander';
import { integerOption, numberOption, OptionError } from './command.js';

/** Noise that `hushrec privacy` accounts for. */
export type MechanismName = 'gaussian' | 'laplace' | 'k-norm';

interface GaussianOptions {
  readonly sensitivity: number;
  readonly count: number;
  readonly rate?: number;
}

/** One kind of release, as flags. */
export interface MechanismOptions extends GaussianOptions {
  readonly mechanism: MechanismName;
  readonly dimension: number;
}

/** Releases that were made: Gaussian ones of one kind by flags, or any as text. */
export interface EpsilonOptions extends GaussianOptions {
  readonly noise?: number;
  readonly delta: number;
  readonly release?: readonly string[];
}

/** Adds the flags of `MechanismOptions`. */
export function withMechanism(command: Command): Command {
  return withGaussian(command)
    .addOption(
      new Option('--mechanism <name>', 'kind of noise')
        .choices(['gaussian', 'laplace', 'k-norm'])
        .default('gaussian'),
    )
    .option('--dimension <n>', 'dimension of K-norm noise', integerOption('dimension', 1), 1);
}

export function withGaussian(command: Command): Command {
  return command
    .option(
      '--sensitivity <number>',
      'L2 (Gaussian, K-norm) or L1 (Laplace) norm bound',
      numberOption('sensitivity'),
      1,
    )
    .option('--count <n>', 'how many such releases', integerOption('count', 1), 1)
    .option('--rate <q>', 'Poisson sampling rate (Gaussian only)', numberOption('rate'));
}

function mechanismOf({ mechanism, rate, dimension }: MechanismOptions): PlannedMechanism {
  if (rate !== undefined && mechanism !== 'gaussian')
    throw new OptionError('--rate is for Gaussian noise; sampling is accounted for no other mechanism here.');
  if (rate !== undefined && !(rate > 0 && rate <= 1))
    throw new OptionError(`--rate is ${rate}; expected a number above 0 and at most 1.`);
  if (mechanism === 'k-norm') return { kind: 'k-norm', dimension };
  return rate === undefined ? { kind: mechanism } : { kind: 'poisson-sampled-gaussian', rate };
}

/** A plan of these releases alone. */
export function planOf(options: MechanismOptions): ReleasePlan {
  return {
    unit: 'user',
    relation: 'add-remove',
    released: 'given releases',
    releases: [
      {
        name: 'release',
        mechanism: mechanismOf(options),
        sensitivity: options.sensitivity,
        count: options.count,
        share: 1,
      },
    ],
  };
}

/** The event of releases with known noise. Throws `OptionError` where flags contradict each other. */
export function eventOf(options: EpsilonOptions): PrivacyEvent {
  if (options.release !== undefined) {
    if (options.noise !== undefined) throw new OptionError('Give --noise or --release, not both.');
    return { kind: 'composed', events: options.release.map(parseRelease) };
  }
  if (options.noise === undefined)
    throw new OptionError('Give --noise (one kind of release) or --release (several).');
  return repeatedEvent({ ...options, mechanism: 'gaussian', dimension: 1 }, options.noise);
}

function repeatedEvent(options: MechanismOptions, noise: number): PrivacyEvent {
  const { sensitivity, count } = options;
  if (!(noise > 0)) throw new OptionError(`Noise is ${noise}; expected a number above 0.`);
  if (!(sensitivity >= 0)) throw new OptionError(`Sensitivity is ${sensitivity}; expected a number ≥ 0.`);
  const mechanism = mechanismOf(options);
  if (mechanism.kind === 'pure') throw new OptionError('A pure mechanism has no noise scale.');
  return { kind: 'repeated', event: { ...mechanism, sensitivity, noise }, count };
}

/** `gaussian,noise=5,count=10`. */
function parseRelease(text: string): PrivacyEvent {
  const [mechanism, ...settings] = text.split(',');
  if (mechanism !== 'gaussian' && mechanism !== 'laplace' && mechanism !== 'k-norm')
    throw new OptionError(`--release "${text}" must start with gaussian, laplace or k-norm.`);
  const values = new Map<string, number>();
  for (const setting of settings) {
    const [key = '', value = ''] = setting.split('=');
    if (!['noise', 'sensitivity', 'count', 'rate', 'dimension'].includes(key))
      throw new OptionError(
        `--release "${text}" has "${setting}"; known: noise, sensitivity, count, rate, dimension.`,
      );
    values.set(key, numberOption(`release ${key}`)(value));
  }
  const noise = values.get('noise');
  if (noise === undefined) throw new OptionError(`--release "${text}" needs noise=….`);
  const rate = values.get('rate');
  return repeatedEvent(
    {
      mechanism,
      sensitivity: values.get('sensitivity') ?? 1,
      count: values.get('count') ?? 1,
      dimension: values.get('dimension') ?? 1,
      ...(rate === undefined ? {} : { rate }),
    },
    noise,
  );
}
