import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { muFor, tightestEpsilon } from '@hushrec/privacy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-refresh-plan-'));
const at = (name: string) => join(folder, name);
const [shop, model] = [at('shop'), at('model')];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const planned = async (...args: string[]) => {
  const run = await runCommand('ledger', 'plan', ...args, '--json');
  expect(run.code, run.errors).toBe(0);
  return run.json;
};

describe('ledger plan --every', () => {
  it.each([
    ['day', 365],
    ['week', 53],
    ['month', 12],
    ['quarter', 4],
  ] as const)('every %s for a year: %i refreshes, which together stay within ε', async (every, runs) => {
    const plan = await planned(
      ...['--every', every, '--for', 'year', '--epsilon', '4', '--from', '2027-01-01'],
    );
    expect(plan).toMatchObject({ runs, every, from: '2027-01-01', until: '2028-01-01', kept: null });
    const event = (epsilon: number) =>
      ({ kind: 'gaussian', sensitivity: muFor(epsilon, 1e-6), noise: 1 }) as const;
    const cost = (more: number) =>
      tightestEpsilon(
        {
          kind: 'composed',
          events: [event(plan.first), { kind: 'repeated', event: event(plan.each), count: runs - 1 + more }],
        },
        1e-6,
      ).epsilon;
    expect(cost(0)).toBeLessThanOrEqual(4);
    expect(cost(1)).toBeGreaterThan(4);
    // More while the model is young.
    if (every !== 'quarter') expect(plan.first).toBeGreaterThan(plan.each);
  });

  it('says what to expect with memory and without, and when fewer refreshes would be better', async () => {
    const of = ['--people', '4800', '--items', '3500', '--ratings-per-person', '95', '--goal', 'rank'];
    const daily = await planned('--every', 'day', '--epsilon', '4', ...of);
    expect(daily.withMemory.asGoodAs).toBeGreaterThan(5 * daily.fromNothing.asGoodAs);
    expect(daily.withMemory.quality.high).toBeGreaterThan(daily.fromNothing.quality.high);
    expect(daily.better).not.toBeNull();
    // Where there is plenty, nothing is gained by waiting.
    const many = ['--people', '4000000', ...of.slice(2)];
    expect((await planned('--every', 'day', '--epsilon', '4', ...many)).better).toBeNull();
    // The forecast is that of `privacy plan`, at the ε of a training that is as good.
    const { json } = await runCommand(
      ...['privacy', 'plan', ...of, '--epsilon', String(daily.fromNothing.asGoodAs), '--json'],
    );
    expect(json.plans[0].verdict).toBe(daily.fromNothing.verdict);
  });

  it('says of monthly plans, and of no others, what memory was measured to bring', async () => {
    const file = new URL('../../../../papers/results/refresh-year.json', import.meta.url);
    const { findings } = JSON.parse(readFileSync(file, 'utf8')) as {
      findings: { what: string; measured: number }[];
    };
    const gains = (data: RegExp) =>
      findings
        .filter(({ what }) => data.test(what) && /monthly: with memory less/.test(what))
        .map(({ what, measured }) => measured / Number(/\([\d.]+, ([\d.]+);/.exec(what)![1]));
    const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
    const [made, real] = [gains(/^ML-1M likes/), gains(/^ML-100K/)];
    const [worst, best] = [Math.min(...made), Math.max(...made)];
    const text = async (every: string) =>
      (await runCommand('ledger', 'plan', '--every', every, '--for', 'year', '--epsilon', '4')).text;
    const monthly = await text('month');
    expect(monthly).toContain(`between ${percent(-worst)} less and ${percent(best)} more`);
    expect(monthly).toContain(`${percent(-real[0])} less`);
    expect(monthly).toContain('hushrec ledger plan --runs 12');
    expect(await text('quarter')).toContain('Memory may not help at this rhythm');
    expect(await text('week')).not.toContain('Memory may not help at this rhythm');
  });

  it('refuses what does not go together', async () => {
    for (const args of [
      ['--every', 'day', '--runs', '3', '--epsilon', '4'],
      ['--every', 'day'],
      ['--runs', '3', '--epsilon', '4', '--for', 'year'],
      ['--every', 'day', '--epsilon', '4', '--people', '100'],
    ])
      expect((await runCommand('ledger', 'plan', ...args)).code, args.join(' ')).toBe(2);
  });
});

describe('refresh by a plan', () => {
  const rows = Array.from({ length: 600 }, (_, k) => `u${k % 60},i${(k * 7) % 25},${1 + (k % 5)}`);
  const refresh = (day: string, ...more: string[]) =>
    runCommand('refresh', shop, '--model', model, '--date', day, '--json', ...more);
  const noted = () => existsSync(`${model}.refreshing`);

  beforeAll(async () => {
    writeFileSync(at('ratings.csv'), `user,item,rating\n${rows.join('\n')}\n`);
    writeFileSync(
      at('items.csv'),
      `item\n${Array.from({ length: 25 }, (_, item) => `i${item}`).join('\n')}\n`,
    );
    const ran = async (...args: string[]) => {
      const run = await runCommand(...args);
      expect(run.code, run.errors).toBe(0);
    };
    await ran('import', at('ratings.csv'), shop, '--scale', '1:5:1', '--catalogue', at('items.csv'));
    await ran('ledger', 'grant', shop, '--epsilon', '4', '--delta', '1e-6', '--note', 'a year');
    await ran('ledger', 'plan', shop, '--every', 'week', '--from', '2027-01-04', '--model', model);
  });

  it('runs once in each week, also without news, with the ε that the plan has for it', async () => {
    const plan = JSON.parse(readFileSync(`${model}.plan.json`, 'utf8'));
    const first = await refresh('2027-01-04', '--people', '60');
    expect(first.code, first.errors).toBe(0);
    expect(first.json).toMatchObject({ trained: true, lastRunEpsilon: plan.first });
    const again = await refresh('2027-01-10');
    expect(again.json).toMatchObject({ trained: false, next: '2027-01-11' });
    const second = await refresh('2027-01-11');
    expect(second.json).toMatchObject({ trained: true, lastRunEpsilon: plan.each, rememberedRuns: 1 });
    // A week that was missed is not made up for.
    const later = await refresh('2027-01-27');
    expect(later.json).toMatchObject({ trained: true, lastRunEpsilon: plan.each, rememberedRuns: 2 });
    expect(noted()).toBe(false);
  });

  it('leaves nothing to decide, and ends with the plan', async () => {
    for (const own of [['--epsilon', '1'], ['--force'], ['--no-memory'], ['--delta', '1e-7']]) {
      const run = await refresh('2027-02-01', ...own);
      expect(run.code, own.join(' ')).toBe(2);
      expect(run.errors).toContain('.plan.json');
    }
    expect((await refresh('2028-02-01')).code).toBe(2);
    expect((await refresh('2026-02-01')).code).toBe(2);
    writeFileSync(`${model}.plan.json`, '{');
    expect((await refresh('2027-02-01')).code).toBe(3);
  });

  it('refuses a catalogue that is not declared: the day of a first rating would show', async () => {
    const [data, other] = [at('rated'), at('rated-model')];
    await runCommand('import', at('ratings.csv'), data, '--scale', '1:5:1', '--account', 'others');
    await runCommand(
      'ledger',
      'plan',
      '--epsilon',
      '1',
      '--every',
      'week',
      '--from',
      '2027-01-04',
      '--model',
      other,
    );
    const run = await runCommand('refresh', data, '--model', other, '--date', '2027-01-04');
    expect(run.code, run.errors).toBe(4);
    expect(run.errors).toContain('--catalogue');
    expect(existsSync(other)).toBe(false);
  });
});
