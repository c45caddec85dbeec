import { expect, it } from 'vitest';
import {
  BudgetExceededError,
  LedgerCorruptError,
  LedgerFormatError,
  LedgerLockedError,
  LedgerLostError,
  LedgerMissingError,
  LedgerUnavailableError,
  SharedPeopleError,
  SpendRefusedError,
  UnprotectedRunError,
} from './ledger-errors.js';

const grant = { epsilon: 2, delta: 1e-6, period: null };
const location = '/ledgers/shop.sqlite';

/** Programs decide by these fields, people by the words: both say what is the matter. */
it.each([
  [
    new BudgetExceededError('a', grant, 3),
    { kind: 'privacy', account: 'a', granted: 2, wouldBe: 3 },
    /ε = 3/,
  ],
  [new SpendRefusedError('a', 'stopped'), { kind: 'privacy', account: 'a' }, /refused: stopped/],
  [new UnprotectedRunError('a', 'no noise'), { kind: 'privacy', account: 'a' }, /against it: no noise/],
  [
    new SharedPeopleError('Shared.', { account: 'a', name: 'shop' }),
    { kind: 'privacy', account: 'a', accountName: 'shop' },
    /^Shared\.$/,
  ],
  [new LedgerLockedError(location, 5), { kind: 'privacy', location }, /for 5 s/],
  [
    new LedgerCorruptError(location, 7, 'changed'),
    { kind: 'privacy', location, entry: 7, reason: 'changed' },
    /at entry 7: changed/,
  ],
  [
    new LedgerCorruptError(location, 'its head', 'gone'),
    { kind: 'privacy', location, entry: undefined, reason: 'gone' },
    /at its head: gone/,
  ],
  [new LedgerLostError(location, 'it vanished'), { kind: 'privacy', location }, /it vanished/],
  [new LedgerFormatError(location, 'format 1'), { kind: 'data', location }, /of format 1/],
  [new LedgerMissingError(location), { kind: 'usage', location }, /no ledger at \/ledgers\/shop\.sqlite\./],
  [new LedgerUnavailableError(location, 'refused'), { location }, /cannot be used: refused/],
])('%s', (error, fields, words) => {
  expect({ ...error }).toEqual({ ...fields, name: error.constructor.name });
  expect(error.message).toMatch(words);
});
