import { expect, it } from 'vitest';
import { underOneName } from './other-names.js';

it('takes flags under the name that scripts outside rely on', () => {
  expect(underOneName(['generate', 'x', '--users', '100', '--seed', '1'])).toEqual([
    ...['generate', 'x', '--people', '100', '--seed', '1'],
  ]);
  expect(underOneName(['compare', 'x', '--as-if-users=7'])).toEqual(['compare', 'x', '--as-if-people=7']);
});

it('leaves all others as they are', () => {
  for (const args of [[], ['verify', 'x', '--users', '4'], ['generate', '--users-file', 'users']])
    expect(underOneName(args)).toEqual(args);
});
