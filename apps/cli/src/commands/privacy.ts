import type { Command } from 'commander';
import { registerCalibrate } from './privacy-calibrate.js';
import { registerEpsilon } from './privacy-epsilon.js';
import { registerExplain } from './privacy-explain.js';
import { registerPlan } from './privacy-plan.js';

/** `hushrec privacy`: accounting without data. */
export function registerPrivacy(program: Command): void {
  const group = program
    .command('privacy')
    .summary(
      'accounting without data: noise for a target, ε of given releases, what ε means, how many people are needed',
    )
    .description(
      'Accounting without data: noise for a target, ε of given releases, what ε means, how many people are needed.',
    );
  registerCalibrate(group);
  registerEpsilon(group);
  registerExplain(group);
  registerPlan(group);
}
