import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

it('the newcomer’s walk has at most twelve stops, and each is there', () => {
  const walk = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split("## A newcomer's walk")[1];
  const stops = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map((match) => match[1]);
  expect(stops.length).toBeGreaterThan(6);
  expect(stops.length).toBeLessThanOrEqual(12);
  expect(stops.filter((stop) => !existsSync(join(root, stop)))).toEqual([]);
});
