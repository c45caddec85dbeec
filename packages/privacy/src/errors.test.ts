import { expect, it } from 'vitest';
import { UnknownEventError } from './accounting/accountant.js';
import { GridTooFineError } from './accounting/compose-losses.js';
import { ReleasePlanError } from './plan/check-plan.js';
import { AnswerMismatchError } from './recorder/answering.js';
import { PlanMismatchError, ReleaseRefusedError } from './recorder/errors.js';
import { PrivacyParameterError } from './units.js';

const request = { kind: 'bits', release: 'r', occurrence: 0, part: 2, length: 8 } as const;

/** Programs decide by these fields, people by the words: both say what is the matter. */
it.each([
  [
    new UnknownEventError('rdp', 'k-norm'),
    { kind: 'privacy', accountant: 'rdp', event: 'k-norm' },
    /accountant "rdp" does not know events of kind "k-norm"/,
  ],
  [new GridTooFineError('Too fine.'), { kind: 'privacy' }, /^Too fine\.$/],
  [new ReleasePlanError('r', 'Bad.'), { kind: 'privacy', release: 'r' }, /^Bad\.$/],
  [
    new AnswerMismatchError(request, 'another form.'),
    { kind: 'privacy', request },
    /"r", occurrence 1, part 2 \(bits, 8 numbers\): another form\./,
  ],
  [
    new ReleaseRefusedError('r', 'closed', 'it is closed.'),
    { kind: 'privacy', release: 'r', reason: 'closed' },
    /Release "r": it is closed\./,
  ],
  [
    new PlanMismatchError('r', 2, 1, 'Why.'),
    { kind: 'privacy', release: 'r', planned: 2, recorded: 1 },
    /"r" was planned 2 times and made 1 times\. Why\./,
  ],
  [
    new PrivacyParameterError('delta', 2, 'less than 1', 'Take less.'),
    { kind: 'usage', parameter: 'delta', value: 2 },
    /delta is 2; expected less than 1\. Take less\./,
  ],
])('%s', (error, fields, words) => {
  expect({ ...error }).toEqual({ ...fields, name: error.constructor.name });
  expect(error.message).toMatch(words);
});
