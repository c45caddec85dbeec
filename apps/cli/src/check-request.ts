import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Method } from '@hushrec/factorize';
import { OptionError } from './command.js';
import { CommandError, exitCodes } from './exit-codes.js';
import { leavesOutFeatures } from './feature-files.js';
import { settingsOf, type TrainingFlags } from './training-options.js';

/**
 * What can be known to be wrong before a file is imported, a ledger opened or a model trained: settings, ε
 * and δ, files that are not there, a place that is taken.
 *
 * @throws OptionError, SettingsError or ModelFolderExistsError, each with what to do.
 */
export async function checkRequest(
  methods: readonly Method[],
  flags: Partial<Pick<TrainingFlags, 'epsilon' | 'delta' | 'set' | 'features' | 'kind'>> & {
    readonly liked?: number;
    readonly out?: string;
    readonly overwrite?: boolean;
  },
): Promise<void> {
  const { readSettings } = await import('@hushrec/factorize');
  for (const method of methods) readSettings(method.settings, settingsOf(flags.set));
  if (flags.epsilon !== undefined) checkEpsilon('epsilon', flags.epsilon);
  if (flags.delta !== undefined && !(flags.delta >= 0 && flags.delta < 1))
    throw new OptionError(`--delta is ${flags.delta}; expected ${expectedDelta}.`);
  if (flags.liked !== undefined && Number.isNaN(flags.liked))
    throw new OptionError('--liked is not a number; expected the least rating that counts as a like.');
  for (const file of leavesOutFeatures(flags) ? [] : (flags.features ?? []))
    if (!existsSync(file))
      throw new CommandError(
        exitCodes.badData,
        `${file}: it cannot be opened; there is no such file. Check --features.`,
      );
  if (flags.out !== undefined) {
    const { checkModelFolder } = await import('@hushrec/model/folder');
    const { hasLeftOver } = await import('@hushrec/train');
    // Where a run stopped after its model was in place, training finishes it before it says so itself.
    if (!hasLeftOver(flags.out)) await checkModelFolder(resolve(flags.out), flags.overwrite === true);
  }
}

/** What an ε must be, in words; `infinity` is how one writes it where it is given. */
export const expectedEpsilon = (infinity: 'inf' | 'Infinity'): string =>
  `a number above 0 (usual values: 0.1 to 10; ${infinity} trains without noise)`;

export const expectedDelta = 'a probability of at least 0 and below 1, usually 1e-6 or less';

/** ε of 0 would release nothing but noise, and there is none below. */
export function checkEpsilon(option: string, epsilon: number): void {
  if (!(epsilon > 0)) throw new OptionError(`--${option} is ${epsilon}; expected ${expectedEpsilon('inf')}.`);
}
