import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';
import { writeHostileModel } from '../testing/hostile-catalogue.test.data.js';
import {
  axeViolations,
  differenceOf,
  seenFromAfar,
  sidewaysScroll,
  smallTargets,
} from '../testing/page-checks.test.data.js';
import { writeLargeModel } from '../testing/sample-models.test.data.js';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const wide = { viewport: { width: 1360, height: 900 } };

/** The state of an account whose ledger does not add up. */
const broken = {
  dataset: 'sample',
  name: 'sample',
  account: 'e'.repeat(32),
  grant: null,
  refused: false,
  runs: 0,
  unfinishedRuns: 0,
  spent: [],
  entries: [],
  problem: 'The ledger was tampered with or damaged at entry 17.',
};

describeOnServer('how the page looks in Chromium', { graceMs: 300 }, (opened) => {
  const open = async (options: BrowserContextOptions) =>
    (await opened.browser.newContext({ reducedMotion: 'reduce', ...options })).newPage();

  /** A phone on a slow line, with a quarter of the processor. */
  const openSlowly = async () => {
    const page = await open({ ...phone, reducedMotion: 'no-preference' });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 150,
      downloadThroughput: 200_000,
      uploadThroughput: 100_000,
    });
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    return { page, session };
  };
  const firstPaint = async (page: Page): Promise<number> => {
    const painted = await page.waitForFunction(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    );
    return await painted.jsonValue();
  };

  describe('what it weighs', () => {
    // Other work on the machine only adds to a time: what one of five visits takes, the page needs no more
    // than. How busy the machine is besides is seen on a document of one line, which takes 270 ms on an idle
    // one, nearly all of it the line's.
    it('paints within a second', async () => {
      const least = { page: Infinity, line: Infinity };
      const limit = () => 1000 * Math.max(1, least.line / 300);
      const visit = async (what: keyof typeof least, path: string) => {
        const { page } = await openSlowly();
        await page.goto(opened.server.url + path);
        least[what] = Math.min(least[what], await firstPaint(page));
        await page.context().close();
      };
      for (let time = 0; time < 5; time++) {
        await visit('line', '/healthz');
        await visit('page', '/#/overview');
        if (least.page <= limit()) break;
      }
      console.log(
        `First contentful paint: ${Math.round(least.page)} ms, of one line ${Math.round(least.line)} ms.`,
      );
      expect(least.line).toBeGreaterThan(150); // the line's latency at the least: it was slowed down
      expect(least.page).toBeLessThanOrEqual(limit());
    });

    /** Bytes by kind until a view stands, and how much of it moved by itself. */
    async function weigh(view: string, ready: string) {
      const { page, session } = await openSlowly();
      const bytes = new Map<string, number>();
      const kindOf = new Map<string, string>();
      session.on('Network.responseReceived', ({ requestId, response }) =>
        kindOf.set(requestId, new URL(response.url).pathname.split('.')[1] ?? 'other'),
      );
      session.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
        const kind = kindOf.get(requestId) ?? 'other';
        bytes.set(kind, (bytes.get(kind) ?? 0) + encodedDataLength);
      });
      await page.addInitScript(() => {
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput } = entry as unknown as {
              value: number;
              hadRecentInput: boolean;
            };
            const before = Number(document.documentElement.dataset['shift'] ?? 0);
            if (!hadRecentInput) document.documentElement.dataset['shift'] = String(before + value);
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      await page.goto(`${opened.server.url}/#/${view}`);
      await page.waitForSelector(ready);
      const all = [...bytes.values()].reduce((sum, each) => sum + each, 0) / 1000;
      await page.waitForTimeout(500);
      const paint = await firstPaint(page);
      const shift = Number(await page.evaluate(() => document.documentElement.dataset['shift'] ?? '0'));
      const kB = (kind: string) => (bytes.get(kind) ?? 0) / 1000;
      console.log(
        `${view} at 1.6 Mbit/s, 150 ms, a quarter of the processor: first contentful paint ${Math.round(paint)} ms; ${all.toFixed(0)} kB in all, style ${kB('css').toFixed(1)}, script ${kB('js').toFixed(1)}, fonts ${kB('woff2').toFixed(1)}; layout shift ${shift.toFixed(3)}`,
      );
      await page.context().close();
      return { all, kB, shift };
    }

    it('is light, and nothing jumps', async () => {
      const { all, kB, shift } = await weigh('overview', '.facts-row');
      expect(all).toBeLessThanOrEqual(110);
      expect(kB('css')).toBeLessThanOrEqual(8);
      expect(kB('js')).toBeLessThanOrEqual(25);
      expect(kB('woff2')).toBeLessThanOrEqual(55);
      expect(shift).toBeLessThan(0.02);
    });

    it('has its first list of 3,706 titles after 700 kB, and nothing jumps', async () => {
      // As many titles as MovieLens 1M, and more directions than `hush` gives them at ε = 1.
      const folder = `${opened.server.folder}/models/as-ml-1m`;
      await writeHostileModel(folder, { items: 3706, multiplier: 4, seed: 1 });
      await new Promise((resolve) => setTimeout(resolve, 1100)); // the server looks once a second
      const { all, shift } = await weigh('try/as-ml-1m', '.strip-posters [data-item]');
      rmSync(folder, { recursive: true });
      await new Promise((resolve) => setTimeout(resolve, 1100));
      expect(all).toBeLessThanOrEqual(700);
      expect(shift).toBeLessThanOrEqual(0.02);
      const certificate = await weigh('certificate/sample-eps-1', '.checks li');
      expect(certificate.shift).toBeLessThanOrEqual(0.02);
    });

    it('ranks 100,000 titles anew between a tap and the next frames', async () => {
      const large = `${opened.server.folder}/models/large`;
      await writeLargeModel(large, 100_000);
      await new Promise((resolve) => setTimeout(resolve, 1100)); // the server looks once a second
      const page = await open(phone);
      await page.route('**/api/models', async (route: Route) => {
        const answer = await route.fetch();
        const { models } = (await answer.json()) as { models: { id: string }[] };
        await route.fulfill({ json: { models: models.filter(({ id }) => id === 'large'), broken: [] } });
      });
      await page.goto(`${opened.server.url}/#/try`);
      await page.waitForSelector('.strip-posters [data-item]');
      await page.evaluate(() => {
        document.addEventListener(
          'change',
          () => {
            const began = performance.now();
            setTimeout(() => {
              const times = document.body.dataset['took'] ?? '';
              document.body.dataset['took'] = `${times} ${performance.now() - began}`;
            });
          },
          { capture: true },
        );
      });
      const timesTaken = async () =>
        (await page.evaluate(() => document.body.dataset['took'] ?? '')).trim().split(' ').map(Number);
      let took: number[] = [];
      while (took.length < 4) {
        const item = await page.locator('.rate-card').getAttribute('data-item');
        await page.locator('.rate-card .stars label').nth(4).tap();
        await expect.poll(() => page.locator('.rate-card').getAttribute('data-item')).not.toBe(item);
        took = await timesTaken();
      }
      const best = Math.min(...took);
      console.log(`From a tap on a star to the changed list of 100,000 titles: ${best.toFixed(1)} ms`);
      // Other work on the machine only adds: nothing is decided on one that may be busy.
      if (process.env['HUSHREC_STRICT_TIMES']) expect(best).toBeLessThan(50);
      await page.context().close();
      rmSync(large, { recursive: true });
      await new Promise((resolve) => setTimeout(resolve, 1100));
    });
  });

  describe('states of each page', () => {
    const refused = (route: Route) => route.abort();
    const never = () => {};
    const empty = (json: object) => (route: Route) => route.fulfill({ json });
    const noModels = { models: [], broken: [] };
    const states: [
      name: string,
      view: string,
      pattern: string,
      answer: (route: Route) => unknown,
      words: string,
    ][] = [
      ['an unknown address', 'no-such-page', '**/nothing', never, 'There is no such page'],
      ['no models', 'overview', '**/api/models', empty(noModels), 'No models yet'],
      ['waiting', 'overview', '**/api/models', never, 'Loading models'],
      ['failed', 'overview', '**/api/models', refused, 'The server does not answer.'],
      ['no models', 'try', '**/api/models', empty(noModels), 'No models yet'],
      ['waiting', 'try', '**/api/models', never, 'Loading models'],
      ['failed', 'try', '**/api/models', refused, 'The server does not answer.'],
      ['no models', 'certificate', '**/api/models', empty(noModels), 'No models yet'],
      ['waiting', 'certificate', '**/api/models', never, 'Loading models'],
      ['failed', 'certificate', '**/api/models', refused, 'The server does not answer.'],
      ['not found', 'certificate/nobody', '**/nothing', never, 'We do not show another one'],
      ['nothing spent', 'ledger', '**/api/ledger', empty({ ledgers: [] }), 'Nothing has been spent'],
      ['waiting', 'ledger', '**/api/ledger', never, 'Loading the ledger'],
      ['failed', 'ledger', '**/api/ledger', refused, 'The server does not answer.'],
      ['not adding up', 'ledger', '**/api/ledger', empty({ ledgers: [broken] }), 'What cannot be trusted'],
      ['waiting', 'compare', '**/api/comparisons', never, 'Loading results'],
      ['failed', 'compare', '**/api/comparisons', refused, 'The server does not answer.'],
      ['signed out', 'train', '**/nothing', never, 'Operators only'],
      ['waiting', 'train', '**/api/whoami', never, 'Loading'],
      ['failed', 'train', '**/api/whoami', refused, 'The server does not answer.'],
    ];
    it.each(states)(
      'say what is the matter, without fault: %s, %s',
      async (_, view, pattern, answer, words) => {
        for (const options of [
          { ...phone, colorScheme: 'dark' },
          { ...wide, colorScheme: 'light' },
        ] as const) {
          const page = await open(options);
          await page.route(pattern, (route) => void answer(route));
          await page.goto(`${opened.server.url}/#/${view}`);
          await page.getByText(words).first().waitFor();
          expect(await axeViolations(page)).toEqual([]);
          expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
          if (options.viewport.width < 500) expect(await smallTargets(page)).toEqual([]);
          await page.context().close();
        }
      },
    );
  });

  describe('from afar', () => {
    const file = new URL('../testing/seen-from-afar.json', import.meta.url);
    const known = existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>)
      : {};
    const ready: Readonly<Record<string, string>> = {
      overview: '.facts-row',
      try: '.try-it[data-whole] .ranking',
      'certificate/sample-eps-1': '.checks li',
      plan: '.stand-out',
      compare: 'figure svg',
      train: '#runs',
    };
    const shows = async (page: Page, view: string) => {
      await page.goto('about:blank');
      await page.goto(`${opened.server.url}/#/${view}`);
      await page.waitForSelector(ready[view], { state: 'attached' });
      await page.evaluate(() => document.fonts.ready);
      await page.waitForTimeout(100);
    };

    const seen: Record<string, string[]> = {};
    afterAll(() => {
      if (process.env['HUSHREC_LOOKS'] === 'keep') writeFileSync(file, `${JSON.stringify(seen, null, 2)}\n`);
    });
    it.each([
      ['light', 1360, wide],
      ['light', 390, phone],
      ['dark', 1360, wide],
      ['dark', 390, phone],
    ] as const)('each page looks as it did: %s, %d wide', async (colorScheme, width, size) => {
      const [page, blank] = [await open({ ...size, colorScheme }), await open(wide)];
      for (const view of Object.keys(ready)) {
        await shows(page, view);
        const name = `${view}, ${colorScheme}, ${width}`;
        seen[name] = await seenFromAfar(page, blank);
        if (process.env['HUSHREC_LOOKS'] === 'keep') continue;
        const difference = () => differenceOf(seen[name], known[name] ?? []);
        // On a busy machine pictures come late: what was not painted yet is looked at again.
        for (let more = 0; more < 10 && difference() >= 0.03; more++) {
          await page.waitForTimeout(300);
          seen[name] = await seenFromAfar(page, blank);
        }
        expect(difference(), `${name}: look at it, then keep it with HUSHREC_LOOKS=keep`).toBeLessThan(0.03);
      }
      await page.context().close();
      await blank.context().close();
    });

    it('would notice a card that is gone', async () => {
      const [page, blank] = [await open(wide), await open(wide)];
      await shows(page, 'overview');
      const before = await seenFromAfar(page, blank);
      await page.evaluate(() => document.querySelectorAll('.card')[0].remove());
      expect(differenceOf(before, await seenFromAfar(page, blank))).toBeGreaterThan(0.03);
      await page.context().close();
      await blank.context().close();
    });
  });
});
