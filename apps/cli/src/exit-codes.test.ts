import { describe, expect, it } from 'vitest';
import { CommandError, exitCodeOf, exitCodes } from './exit-codes.js';

/** An error as a package throws it: known here by the name of its class alone. */
function named(name: string): Error {
  return Object.assign(new Error('x'), { name });
}

describe('exit codes', () => {
  it.each([
    ['SettingsError', 2],
    ['UnknownMethodError', 2],
    ['ImportOptionError', 2],
    ['BadDataError', 3],
    ['CorruptModelError', 3],
    ['BudgetExceededError', 4],
    ['SpendRefusedError', 4],
    ['LedgerLockedError', 4],
    ['PlanMismatchError', 4],
    ['AbortError', 130],
    ['TypeError', 1],
  ])('%s is %d', (name, code) => {
    expect(exitCodeOf(named(name))).toBe(code);
  });

  it('an error may bring its own, and anything else failed', () => {
    expect(exitCodeOf(new CommandError(exitCodes.badData, 'x'))).toBe(3);
    expect([exitCodeOf('text'), exitCodeOf(undefined)]).toEqual([1, 1]);
  });

  it('no code has two meanings', () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
  });
});
