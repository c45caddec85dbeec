import { type Command, Option } from 'commander';
import { integerOption } from '../command.js';

/** `--noise-by` and `--honest`: who adds the noise of a federated run. */
export interface NoiseFlags {
  readonly noiseBy?: 'aggregators' | 'parties';
  readonly honest?: number;
}

export function addNoiseFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--noise-by <who>',
        'who adds noise (parties where there are 4 or more of them, else aggregators)',
      ).choices(['aggregators', 'parties']),
    )
    .option(
      '--honest <n>',
      'how many of those who add noise must be honest (aggregators: 1; parties: all but 2)',
      integerOption('honest', 1),
    );
}

/** Who adds noise, and how many of them must be honest, where nothing is said. */
export function noiseMakers({ noiseBy, honest }: NoiseFlags, participants: number, areParties = true) {
  const by = noiseBy ?? (areParties && participants >= 4 ? 'parties' : 'aggregators');
  return { by, honestNeeded: honest ?? (by === 'parties' ? Math.max(1, participants - 2) : 1) };
}
