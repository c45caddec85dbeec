import type { AccountedEpsilon } from '@hushrec/privacy';
import type { Command } from 'commander';
import { numberOption, usualDelta } from './command.js';
import { epsilonText } from './number-text.js';

/** Adds `--delta`. */
export function withDelta(command: Command): Command {
  return command.option(
    '--delta <number>',
    'δ; less than 1 / (10 × number of people)',
    numberOption('delta'),
    usualDelta,
  );
}

/** Adds `--epsilon` and `--delta`. */
export function withTarget(command: Command): Command {
  return withDelta(command.requiredOption('--epsilon <number>', 'ε to meet', numberOption('epsilon')));
}

/** JSON has no infinity: null stands for no finite ε. */
export function finite({ epsilon, accountant }: AccountedEpsilon): {
  epsilon: number | null;
  accountant: string;
} {
  return { epsilon: Number.isFinite(epsilon) ? epsilon : null, accountant };
}

/** What every accountant says, a line each. */
export function sideBySide(others: readonly AccountedEpsilon[]): string[] {
  if (others.length === 0) return [];
  return [
    '',
    'All accountants:',
    ...others.map((each) => `  ${each.accountant.padEnd(12)} ε = ${epsilonText(each.epsilon)}`),
  ];
}

/** Eight digits: enough to repeat a calculation. */
export const digits = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(8))) : '∞';
