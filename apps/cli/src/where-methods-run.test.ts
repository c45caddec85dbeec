import '@hushrec/papers/register';
import { readFileSync } from 'node:fs';
import { methods } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';
import { placesOf } from './where-methods-run.js';

describe('where methods run', () => {
  it('is the table that the documents show', async () => {
    const { text } = await runCommand('methods', '--where');
    const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8');
    expect(page).toContain(text.trim());
  });

  it('follows from what a method needs', async () => {
    const { json } = await runCommand('methods', '--json');
    expect(json.methods.map(({ runs }: { runs: unknown }) => runs)).toEqual(methods.map(placesOf));
    for (const { needs } of methods) expect(['people', 'ratings']).toContain(needs);
    expect(placesOf({ id: 'als', needs: 'ratings' }).files).toBe('no');
    expect(placesOf({ id: 'hush', needs: 'people' }).cluster).toBe('yes');
  });
});
