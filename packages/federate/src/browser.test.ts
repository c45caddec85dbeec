import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createEngine, type Engine } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../tools/describe-in-chromium.mjs';
import type { Catalogue } from './catalogue.js';
import { coordinateRun } from './coordinate-run.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { centralRun, expectSame, noiseOf, releasedSums } from './equality.test.data.js';
import { type Noises, type OpenOffices, openOffices } from './open-offices.test.data.js';
import { openRun } from './open-run.js';
import { replayRun, scheduleOf } from './schedule.js';

const items = Array.from({ length: 12 }, (_, item) => `item-${item}`);
/** Two tastes and two kinds of items. */
const historyOf = (person: number) =>
  items
    .map((id, item) => ({ id, rating: (person + item) % 2 === 0 ? 5 : 1 }))
    .filter((_, item) => (item * 7 + person) % 4 !== 0);

const scale = { min: 1, max: 5, step: 1 };
const target = { epsilon: 5000, delta: 1e-5 };

/** The histories of so many people in one place. */
function ratingsOf(people: number): RatingMatrix {
  const rows = Array.from({ length: people }, (_, person) => historyOf(person));
  const all = rows.flat();
  const offsets = new Uint32Array(people + 1);
  rows.forEach((row, person) => {
    offsets[person + 1] = offsets[person] + row.length;
  });
  return {
    userCount: people,
    itemCount: items.length,
    scale,
    byUser: {
      rowCount: people,
      columnCount: items.length,
      offsets,
      indices: Uint32Array.from(all, ({ id }) => items.indexOf(id)),
      values: Float32Array.from(all, ({ rating }) => rating),
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
      pathToFileURL(fileURLToPath(new URL('../bundle.mjs', import.meta.url))).href
    )) as { bundleTakePart: () => Promise<string> };
    bundle = await readFile(await bundleTakePart());
    engine = await createEngine({ kernel: 'simd', threads: 1 });
    site = createServer((request, response) => {
      if (request.url === '/take-part.js') response.setHeader('Content-Type', 'text/javascript').end(bundle);
      else response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>take part</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  }, 120_000);
  afterAll(async () => {
    site?.close();
    await Promise.all(offices.map((each) => each.close()));
    await engine?.close();
  });

  const opening = async (people: number, change: Partial<CharterRequest>, noise?: Noises) => {
    const catalogue: Catalogue = { format: 'hushrec-catalogue-1', scale, itemIds: items };
    const pace = { kind: 'reports', count: people, longestSeconds: 100 } as const;
    const more = { ...target, mostPeople: people, pace, ...change };
    const opened = await openOffices(['site', 'trust'], catalogue, { engine }, more, noise);
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
  ) => `(async () => {
      const { createEngine, IndexedDbFolder, openRun } = await import('/take-part.js');
      const run = await openRun(${JSON.stringify(charter.coordinator.url)});
      const engine = await createEngine({ kernel: 'simd', threads: 1 });
      const { result, handedIn, missed, zerosBecause } = await run.takePart({
        history: ${JSON.stringify(historyOf(person))}, engine, trusted: ${JSON.stringify(trusted)},
        folder: new IndexedDbFolder('taking-part'), mostEpsilon: ${target.epsilon},
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

  it('five Chromium contexts and twenty Node devices make one model; a closed tab resumes', {
    timeout: 120_000,
  }, async () => {
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
    // The tab that was closed had handed in at the first exchanges; it reads those again and goes on.
    expect(outcomes[0].missed).toBeGreaterThanOrEqual(2);
    expect(outcomes[0].handedIn + outcomes[0].missed).toBe(charter.exchanges.length);
    expect(outcomes[0].words.join(' ')).toContain('site, trust');

    // Shares and requests for the log, and nothing else.
    const sizes = new Set([
      32,
      ...charter.exchanges.map(
        (lines) => lines.reduce((sum, { length }) => sum + length, 0) * charter.wordBytes,
      ),
    ]);
    for (const { method, url, bytes } of traffic) {
      expect(['GET', 'PUT', 'OPTIONS']).toContain(method);
      if (method === 'PUT') expect(sizes).toContain(bytes);
      else expect(bytes).toBe(0);
      expect(url).toMatch(
        /\/v1\/(charter|[0-9a-f]{32}\/(catalogue|log\/\d+(\/sums)?(\?wait=\d+)?|\d+\/reports\/[0-9a-f]{64}))$/,
      );
    }
    expect(traffic.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(
      5 * charter.exchanges.length,
    );
  });

  it('hush: two pages and four devices ask for, get and make what one curator does', {
    timeout: 120_000,
  }, async () => {
    const people = 6;
    const seed = 3;
    const request = { method: 'hush', settings: { rank: 2, rounds: 2 }, ...target, seed };
    const central = await centralRun(request, ratingsOf(people), engine);
    const run = await opening(
      people,
      {
        method: 'hush',
        settings: central.settings,
        noise: { by: 'aggregators', honestNeeded: 2 },
        publicSeed: seed,
      },
      noiseOf(central),
    );
    const {
      signed: { charter },
      board,
      aggregators,
    } = run;
    const trusted = charter.aggregators.map(({ publicKey }) => publicKey);
    const contexts = await Promise.all([0, 1].map(() => opened.browser.newContext()));
    const pages = contexts.map(
      async (context, at) => (await openPage(context)).evaluate(inPage(run, trusted, at)) as Promise<Outcome>,
    );
    const devices = [2, 3, 4, 5].map((person) => onDevice(run, trusted, person));
    const running = coordinateRun(charter, aggregators, board, scheduleOf(charter, board, { engine }), {
      pollMilliseconds: 5,
    });
    const [outcomes] = await Promise.all([Promise.all(pages), Promise.all(devices), running]);
    const { model } = await replayRun(charter, board, { engine });
    expectSame(central, await releasedSums(charter, board, engine), model);
    const { itemFactors } = model as { itemFactors: Float32Array };
    for (const { factors, zerosBecause } of outcomes) {
      expect(zerosBecause).toBeUndefined();
      expect(Float32Array.from(factors)).toEqual(itemFactors);
    }
  });
});
