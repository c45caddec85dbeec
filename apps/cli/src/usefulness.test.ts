import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModelFolder } from '@hushrec/model/folder';
import type { NeededRange } from '@hushrec/model/usefulness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

/** Enough people or too few, at the same ε: said by `train`, in the certificate, and by `recommend`. */
const folder = mkdtempSync(join(tmpdir(), 'hushrec-usefulness-'));
const at = (name: string) => join(folder, name);
const trained = new Map<string, Awaited<ReturnType<typeof runCommand>>>();
beforeAll(async () => {
  for (const [name, users, items, ratings] of [
    ['few', '610', '3000', '80000'],
    ['many', '8000', '800', '640000'],
  ] as const) {
    const sizes = ['--people', users, '--items', items, '--ratings', ratings, '--seed', '1'];
    expect((await runCommand('generate', at(name), ...sizes)).code).toBe(0);
    const options = [
      '--epsilon',
      '1',
      '--delta',
      '1e-6',
      '--seed',
      '1',
      '--threads',
      '1',
      '--out',
      at(`${name}-model`),
    ];
    // The planner that is asked below forecasts stars.
    const goal = name === 'few' ? ['--goal', 'stars'] : [];
    trained.set(name, await runCommand('train', at(name), ...options, ...goal));
  }
  writeFileSync(at('mine.csv'), '1,5\n2,1\n3,4.5\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('610 people at ε = 1', () => {
  it('train says that it is too little and what would be enough', () => {
    expect(trained.get('few')!.text).toMatch(/Too noisy to be personal: (only \d+|none) of 3,000 items/);
    expect(trained.get('few')!.text).toMatch(
      /There are about \d+ people; about [\d,]+ to [\d,]+ are needed, or ε of about [\d.]+ to [\d.]+/,
    );
  });

  it('says nearly the same whatever the noise was, as the planner does', async () => {
    const runs = await Promise.all(
      ['2', '3', '4', '5', '6'].map(async (seed) => {
        const out = at(`few-${seed}`);
        const options = ['--epsilon', '1', '--delta', '1e-6', '--seed', seed, '--threads', '1', '--out', out];
        await runCommand('train', at('few'), ...options, '--goal', 'stars');
        return (await readModelFolder(out)).certificate;
      }),
    );
    const { json } = await runCommand(
      ...['privacy', 'plan', '--people', '610', '--items', '3000', '--ratings-per-person', '131'],
      ...['--epsilon', '1', '--json'],
    );
    const planned = json.plans[0].range.peopleNeeded as { low: number; high: number };
    const said = runs.map(({ usefulness }) => ({
      needed: usefulness!.needed,
      range: usefulness!.neededRange!,
    }));
    console.log(said.map(({ needed, range }) => `${needed} (${range.low} to ${range.high})`).join(', '));
    const needed = said.map((each) => each.needed);
    expect(Math.max(...needed) / Math.min(...needed)).toBeLessThan(2);
    const isWithin = (value: number, { low, high }: NeededRange) =>
      low <= value && value <= (high ?? Infinity);
    // Each range holds what the others say, as nine in ten do, and meets theirs.
    const holds = said.flatMap(({ range }) => needed.map((other) => isWithin(other, range)));
    expect(holds.filter(Boolean).length).toBeGreaterThanOrEqual(0.9 * holds.length);
    expect(Math.max(...said.map(({ range }) => range.low))).toBeLessThan(
      Math.min(...said.map(({ range }) => range.high!)),
    );
    for (const { range } of said) {
      expect(range.high! / range.low).toBeLessThan(3.5);
      // And that of the planner, which has seen no data.
      expect(610 * range.low).toBeLessThanOrEqual(planned.high);
      expect(610 * range.high!).toBeGreaterThanOrEqual(planned.low);
    }
  });

  it('the certificate says so in words and numbers, and verify checks it', async () => {
    expect(readFileSync(at('few-model/CERTIFICATE.md'), 'utf8')).toMatch(
      /## Whether it is worth using\n\nToo noisy/,
    );
    expect((await readModelFolder(at('few-model'))).certificate.usefulness).toMatchObject({
      verdict: 'too-noisy',
      items: 3000,
    });
    expect((await runCommand('verify', at('few-model'))).code).toBe(0);
  });

  it('recommends released popularity, without reasons, and says why', async () => {
    const { model, manifest } = await readModelFolder(at('few-model'));
    const popularity = model.kind === 'factors' ? model.popularity! : new Float32Array();
    const popular = [...popularity.keys()]
      .sort((a, b) => popularity[b] - popularity[a] || a - b)
      .map((item) => manifest.itemIds[item])
      .filter((id) => !['1', '2', '3'].includes(id));
    const { json } = await runCommand(
      'recommend',
      at('few-model'),
      '--history',
      at('mine.csv'),
      '-k',
      '20',
      '--json',
    );
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(popular.slice(0, 20));
    expect(json).toMatchObject({ basis: 'popularity', tooNoisy: true });
    expect(json.items.every(({ because }: { because: unknown[] }) => because.length === 0)).toBe(true);
    const { text } = await runCommand('recommend', at('few-model'), '--history', at('mine.csv'));
    expect(text).toMatch(/Too noisy to be personal/);
    expect(text).toMatch(/are needed/);
  });
});

describe('8,000 people with 80 ratings each at ε = 1', () => {
  it('is worth it, and personal', async () => {
    expect(trained.get('many')!.text).toMatch(/Worth it: \d+ of 800 items stand out from the noise/);
    const { json } = await runCommand('recommend', at('many-model'), '--history', at('mine.csv'), '--json');
    expect(json).toMatchObject({ basis: 'history', tooNoisy: false });
  });
});
