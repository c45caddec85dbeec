import '@hushrec/papers/register';
import { methods } from '@hushrec/factorize';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';
import { placesOf } from './where-methods-run.js';

describe('where methods run', () => {
  it('is a row for each method', async () => {
    const { text } = await runCommand('methods');
    const rows = text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => line.split('|')[1].trim());
    expect(rows.filter((id) => id !== 'method' && !id.startsWith('-'))).toEqual(methods.map(({ id }) => id));
  });

  it('follows from what a method needs', async () => {
    const { json } = await runCommand('methods', '--json');
    expect(json.methods.map(({ runs }: { runs: unknown }) => runs)).toEqual(methods.map(placesOf));
    for (const { needs } of methods) expect(['people', 'ratings']).toContain(needs);
    expect(placesOf({ id: 'als', needs: 'ratings' }).files).toBe('no');
    expect(placesOf({ id: 'hush', needs: 'people' }).cluster).toBe('yes');
  });
});
