import type { DeltaInput, EpsilonInput } from '@hushrec/privacy';
import { type Command, Option } from 'commander';
import { integerOption, numberOption, OptionError, repeated, usualDelta } from './command.js';
import { addFeatureFlags, type FeatureFlags } from './feature-files.js';

/** Options that describe a training run; shared by `train`, `compare` and `audit`. */
export interface TrainingFlags extends FeatureFlags {
  readonly method: string;
  readonly epsilon?: EpsilonInput;
  readonly delta: DeltaInput;
  readonly set?: readonly string[];
  readonly people?: number;
  readonly accounting?: 'exact' | 'rdp' | 'zcdp' | 'as-published';
  readonly seed?: number;
  readonly threads?: number;
}

/** A setting of the method, as often as there are settings to give. */
export function settingOption(): Option {
  return new Option(
    '--set <key=value>',
    'a setting of the method; `hushrec methods <name>` lists them (repeatable)',
  ).argParser(repeated);
}

export function deltaOption(): Option {
  return new Option('--delta <number>', 'probability δ with which the bound may fail')
    .argParser(numberOption('delta'))
    .default(usualDelta);
}

export function addTrainingFlags(command: Command): void {
  command
    .option('--method <name>', 'training method; `hushrec methods` lists them', 'hush')
    .option(
      '--epsilon <number>',
      'privacy bound ε of the whole run; leave out for methods without privacy',
      numberOption('epsilon'),
    )
    .addOption(deltaOption())
    .addOption(settingOption());
  addFeatureFlags(command)
    .option(
      '--people <n>',
      'declared, public number of people: better default settings',
      integerOption('people', 1),
    )
    .addOption(
      new Option(
        '--accounting <rule>',
        'how noise is calibrated; the certificate states the true ε in any case',
      )
        .choices(['exact', 'rdp', 'zcdp', 'as-published'])
        .default('exact'),
    )
    .option(
      '--seed <n>',
      'makes the run a simulation: repeatable, and protecting nobody',
      integerOption('seed', 0),
    )
    .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256));
}

/** `--set key=value` pairs as an object. */
export function settingsOf(pairs: readonly string[] | undefined): Record<string, string> {
  return Object.fromEntries(
    (pairs ?? []).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new OptionError(`--set ${pair}: expected key=value.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
