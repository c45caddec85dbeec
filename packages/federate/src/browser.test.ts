import '@hushrec/papers/register';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { SettingValues } from '@hushrec/factorize';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { RatingMatrix, RatingScale } from '@hushrec/ratings';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../tools/describe-in-chromium.mjs';
import type { Catalogue } from './catalogue.js';
import { coordinateRun } from './coordinate-run.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { centralRun, expectSame, noiseOf, releasedSums, sameBytes } from './equality.test.data.js';
import { type Noises, type OpenOffices, openOffices } from './open-offices.test.data.js';
import { openRun } from './open-run.js';
import { replayRun, scheduleOf } from './schedule.js';
import { SEAL_BYTES } from './sealed-share.js';

const items = Array.from({ length: 12 }, (_, item) => `item-${item}`);
/** Two tastes and two kinds of items. */
const historyOf = (person: number) =>
  items
    .map((id, item) => ({ id, rating: (person + item) % 2 === 0 ? 5 : 1 }))
    .filter((_, item) => (item * 7 + person) % 4 !== 0);

const scale = { min: 1, max: 5, step: 1 };
const target = { epsilon: 5000, delta: 1e-5 };

/** The histories of so many people in one place. */
function ratingsOf(people: number, own: RatingScale): RatingMatrix {
  const rows = Array.from({ length: people }, (_, person) => historyOf(person));
  const all = rows.flat();
  const offsets = new Uint32Array(people + 1);
  rows.forEach((row, person) => {
    offsets[person + 1] = offsets[person] + row.length;
  });
  return {
    userCount: people,
    itemCount: items.length,
    scale: own,
    byUser: {
      rowCount: people,
      columnCount: items.length,
      offsets,
      indices: Uint32Array.from(all, ({ id }) => items.indexOf(id)),
      values: Float32Array.from(all, ({ rating }) => Math.min(own.max, Math.max(own.min, rating))),
    },
  };
}

/** A request that a page made. */
interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly bytes: number;
}

type Outcome = {
  factors: number[];
  handedIn: number;
  missed: number;
  zerosBecause?: string;
  words: string[];
};

describeInChromium('pages that take part', (opened) => {
  let engine: Engine;
  let bundle: Buffer;
  let site: Server;
  const offices: OpenOffices[] = [];

  beforeAll(async () => {
    const { bundleTakePart } = (await import(
      pathToFileURL(fileURLToPath(new URL('../../../tools/take-part-bundle.mjs', import.meta.url))).href
    )) as { bundleTakePart: () => Promise<{ readonly outfile: string }> };
    bundle = await readFile((await bundleTakePart()).outfile);
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    site = createServer((request, response) => {
      if (request.url === '/take-part.js') response.setHeader('Content-Type', 'text/javascript').end(bundle);
      else response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>take part</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    site?.close();
    await Promise.all(offices.map((each) => each.close()));
    await engine?.close();
  });

  const opening = async (
    people: number,
    change: Partial<CharterRequest>,
    noise?: Noises,
    own: RatingScale = scale,
  ) => {
    const catalogue: Catalogue = { format: 'hushrec-catalogue-1', scale: own, itemIds: items };
    const pace = { kind: 'reports', count: people, longestSeconds: 100 } as const;
    const more = { ...target, mostPeople: people, pace, ...change };
    const opened = await openOffices(['site', 'trust'], catalogue, { engine }, more, {
      ...(noise && { noise }),
    });
    offices.push(opened);
    return opened;
  };

  const openPage = async (context: BrowserContext, traffic: PageRequest[] = []): Promise<Page> => {
    const page = await context.newPage();
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`http://127.0.0.1:${(site.address() as AddressInfo).port}`))
        traffic.push({ method: request.method(), url, bytes: request.postDataBuffer()?.length ?? 0 });
    });
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    return page;
  };

  /** Runs in the page, as text. */
  const inPage = (
    { signed: { charter } }: OpenOffices,
    trusted: readonly string[],
    person: number,
    hasRatedNothing = false,
  ) => `(async () => {
      const { createEngine, IndexedDbFolder, openRun } = await import('/take-part.js');
      const run = await openRun(${JSON.stringify(charter.coordinator.url)});
      const engine = await createEngine({ kernel: 'simd', threads: 1 });
      const { result, handedIn, missed, zerosBecause } = await run.takePart({
        history: ${JSON.stringify(hasRatedNothing ? [] : historyOf(person))}, engine, trusted: ${JSON.stringify(trusted)},
        folder: new IndexedDbFolder('taking-part ${charter.run}'), mostEpsilon: ${target.epsilon},
        progress: (done) => { globalThis.exchange = done; },
      });
      return { factors: Array.from(result.model.itemFactors), handedIn, missed, zerosBecause, words: run.words };
    })()`;

  const onDevice = async ({ signed: { charter } }: OpenOffices, trusted: readonly string[], person: number) =>
    (await openRun(charter.coordinator.url)).takePart({
      history: historyOf(person),
      engine,
      trusted,
      folder: new MemoryFolder(),
      mostEpsilon: target.epsilon,
    });

  it('weigh little', () => {
    expect(gzipSync(bundle).length).toBeLessThan(180_000);
    expect(bundle.toString()).not.toMatch(/from"|require\("/);
  });

  it('five Chromium contexts and twenty Node devices make one model; a closed tab resumes', async () => {
    const run = await opening(25, { settings: { rank: 2, rounds: 2 } });
    const {
      signed: { charter },
      board,
      aggregators,
    } = run;
    const trusted = [charter.aggregators[1].publicKey];

    const traffic: PageRequest[] = [];
    const contexts = await Promise.all(Array.from({ length: 5 }, () => opened.browser.newContext()));
    const pages = contexts.slice(1).map(async (context, at) => {
      const page = await openPage(context, traffic);
      return page.evaluate(inPage(run, trusted, at + 1)) as Promise<Outcome>;
    });
    const interrupted = (async () => {
      const first = await openPage(contexts[0], traffic);
      const cut = first.evaluate(inPage(run, trusted, 0)).catch(() => 'closed');
      await first.waitForFunction('globalThis.exchange >= 2', undefined, { polling: 5 });
      await first.close();
      expect(await cut).toBe('closed');
      return (await openPage(contexts[0], traffic)).evaluate(inPage(run, trusted, 0)) as Promise<Outcome>;
    })();
    const devices = Array.from({ length: 20 }, (_, at) => onDevice(run, trusted, at + 5));
    const running = coordinateRun(charter, aggregators, board, scheduleOf(charter, board, { engine }), {
      pollMilliseconds: 5,
    });
    const [outcomes, took] = await Promise.all([
      Promise.all([interrupted, ...pages]),
      Promise.all(devices),
      running,
    ]);
    const { model } = await replayRun(charter, board, { engine });
    const expected = model as { itemFactors: Float32Array };
    for (const { factors, zerosBecause } of outcomes) {
      expect(zerosBecause).toBeUndefined();
      expect(Float32Array.from(factors)).toEqual(expected.itemFactors);
    }
    for (const { result } of took) expect(result.model).toEqual(model);
    expect(expected.itemFactors.some((value) => value !== 0)).toBe(true);
    for (const { handedIn, missed } of outcomes.slice(1))
      expect([handedIn, missed]).toEqual([charter.exchanges.length, 0]);
    // The tab that was closed had handed in at the first exchanges: it knows, reads those again and goes on.
    expect(outcomes[0].handedIn).toBeGreaterThanOrEqual(2);
    expect(outcomes[0].handedIn + outcomes[0].missed).toBe(charter.exchanges.length);
    expect(outcomes[0].words.join(' ')).toContain('site, trust');

    // Shares and requests for the log, and nothing else.
    const plain = charter.exchanges.map(
      (lines) => lines.reduce((sum, { length }) => sum + length, 0) * charter.wordBytes,
    );
    const sizes = new Set([32, ...plain].map((bytes) => bytes + SEAL_BYTES));
    for (const { method, url, bytes } of traffic) {
      expect(['GET', 'PUT', 'OPTIONS']).toContain(method);
      if (method === 'PUT') expect(sizes).toContain(bytes);
      else expect(bytes).toBe(0);
      expect(url).toMatch(
        /\/v1\/(charter|card|[0-9a-f]{32}\/(catalogue|log\/\d+(\/sums)?(\?wait=\d+)?|\d+\/reports\/[0-9a-f]{64}))$/,
      );
    }
    expect(traffic.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(
      5 * charter.exchanges.length,
    );
  });

  it('prove what they hand in as Node devices do', async () => {
    // None may be left out: sums of fewer are not published.
    const run = await opening(4, { settings: { rank: 2, rounds: 2 }, normProofs: true, leastReports: 4 });
    const { signed, board, aggregators } = run;
    const { charter } = signed;
    const trusted = [charter.aggregators[1].publicKey];
    const page = (await openPage(await opened.browser.newContext())).evaluate(inPage(run, trusted, 0));
    const devices = [1, 2, 3].map((person) => onDevice(run, trusted, person));
    const [outcome, , took] = await Promise.all([
      page as Promise<Outcome>,
      coordinateRun(charter, aggregators, board, scheduleOf(charter, board, { engine }), {
        pollMilliseconds: 5,
      }),
      Promise.all(devices),
    ]);
    const { itemFactors } = took[0].result.model as { itemFactors: Float32Array };
    expect(outcome.zerosBecause).toBeUndefined();
    expect(Float32Array.from(outcome.factors)).toEqual(itemFactors);
    expect(outcome.words.join(' ')).toContain('as far as one person can');
  });

  /**
   * Every federating method, with few rounds; where people's own coins are a method's, all of them are heads:
   * a page tosses its own.
   */
  const small = { rank: 2, rounds: 2 };
  const methods: readonly (readonly [string, 'ratings' | 'choices', SettingValues])[] = [
    ['hush', 'ratings', small],
    ['hush', 'choices', small],
    ['dpals', 'ratings', small],
    ['dp-cmf', 'ratings', small],
    ['am-ssp', 'ratings', small],
    ['am-dpsgd', 'ratings', { ...small, samplingRate: 1 }],
    ['dp-sgd', 'ratings', { ...small, samplingRate: 1 }],
    ['dp-fw', 'ratings', { rounds: 2 }],
    ['dp-svd', 'ratings', { rank: 2 }],
  ];
  const people = 6;
  /** One run of each method; more with HUSHREC_ALL_EQUAL=1. */
  const pageCounts = process.env['HUSHREC_ALL_EQUAL'] === '1' ? [1, 3, people] : [2];
  let shared: Promise<Page>[] | undefined;
  /** Pages of different people that stay open from run to run. */
  const pagesOf = (count: number): Promise<Page[]> => {
    shared ??= Array.from({ length: Math.max(...pageCounts) }, async () =>
      openPage(await opened.browser.newContext()),
    );
    return Promise.all(shared.slice(0, count));
  };

  it.each(methods.flatMap((method) => pageCounts.map((count) => [...method, count] as const)))(
    '%s on %s %o: %d pages and the other people’s devices ask for, get and make what one curator does',
    async (method, kind, settings, pageCount) => {
      const seed = 8; // with others nothing may be found among six people, and all vectors are 0
      const own = kind === 'ratings' ? scale : { min: 1, max: 1, step: 1 };
      const central = await centralRun({ method, settings, ...target, seed }, ratingsOf(people, own), engine);
      const federated = async (missing?: number) => {
        const run = await opening(
          people,
          {
            method,
            settings: central.settings,
            noise: { by: 'aggregators', honestNeeded: 2 },
            publicSeed: seed,
          },
          noiseOf(central),
          own,
        );
        const {
          signed: { charter },
          board,
          aggregators,
        } = run;
        const trusted = charter.aggregators.map(({ publicKey }) => publicKey);
        const pages = (await pagesOf(pageCount)).map(
          (page, person) =>
            page.evaluate(inPage(run, trusted, person, person === missing)) as Promise<Outcome>,
        );
        const devices = Array.from({ length: people - pageCount }, (_, at) =>
          onDevice(run, trusted, pageCount + at),
        );
        const running = coordinateRun(charter, aggregators, board, scheduleOf(charter, board, { engine }), {
          pollMilliseconds: 5,
        });
        const [outcomes] = await Promise.all([Promise.all(pages), Promise.all(devices), running]);
        const { model } = await replayRun(charter, board, { engine });
        return { outcomes, model, sums: await releasedSums(charter, board, { engine }) };
      };
      const { outcomes, model, sums } = await federated();
      expectSame(central, sums, model);
      const { itemFactors } = model as { itemFactors: Float32Array };
      for (const { factors, zerosBecause } of outcomes) {
        expect(zerosBecause).toBeUndefined();
        expect(Float32Array.from(factors)).toEqual(itemFactors);
      }
      if (method !== 'dpals') return;
      // The control: a page whose owner has rated nothing.
      const control = await federated(0);
      expect(central.lines.filter(({ key, released }) => sameBytes(control.sums.get(key), released))).toEqual(
        [],
      );
      expect(control.model).not.toEqual(central.model);
    },
  );
});
