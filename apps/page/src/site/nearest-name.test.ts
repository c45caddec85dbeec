import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.js';

it('finds a slip, and nothing where there is none', () => {
  expect(nearestName('lantern-okt', ['lantern-nov', 'lantern-oct'])).toBe('lantern-oct');
  expect(nearestName('x', ['lantern-oct'])).toBeUndefined();
  expect(nearestName('x', [])).toBeUndefined();
});
