import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { siteDirectory } from '@hushrec/page';
import { expect, it } from 'vitest';
import { describeOnServer } from '../testing/describe-on-server.test.data.js';

const client = join(siteDirectory, 'hushrec-client.js');

/**
 * Runs in Node and in the browser alike: a model of the given size from a fixed recipe, one person's history,
 * top 20.
 */
async function recommendFrom(address: string, items: number, rank: number) {
  const { Recommender } = (await import(address)) as typeof import('@hushrec/recommend');
  let state = 12345;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff - 0.5;
  };
  const model = {
    kind: 'factors',
    feedback: 'explicit',
    rank,
    itemFactors: Float32Array.from({ length: items * rank }, next),
    itemBias: Float32Array.from({ length: items }, next),
    offset: 3.5,
    foldIn: { ridge: 5, ridgeExponent: 0.3, interceptRidge: 2, unobservedWeight: 0 },
  } as const;
  const itemIds = Array.from({ length: items }, (_, item) => `i${item}`);
  const recommender = new Recommender({ model, itemIds, scale: { min: 0.5, max: 5, step: 0.5 } });
  const history = Array.from({ length: 50 }, (_, k) => ({
    id: `i${(k * 7919) % items}`,
    rating: 0.5 + 0.5 * (k % 10),
  }));
  const times: number[] = [];
  let answer = recommender.recommend(history, { k: 20 });
  for (let round = 0; round < 9; round++) {
    const began = performance.now();
    answer = recommender.recommend(history, { k: 20 });
    times.push(performance.now() - began);
  }
  return {
    items: answer.items.map(({ id, score }) => [id, score] as const),
    milliseconds: times.sort((a, b) => a - b)[4],
  };
}

it('is at most 25 kB compressed', () => {
  expect(gzipSync(readFileSync(client), { level: 9 }).length).toBeLessThanOrEqual(25_000);
});

describeOnServer('the client library in Chromium', {}, (opened) => {
  it('gives the same bits as Node, in less than 50 ms for 100,000 items of 64 dimensions', async () => {
    const page = await opened.browser.newPage();
    await page.goto(opened.server.url);
    const here = await recommendFrom(client, 5000, 64);
    const evaluate = (items: number) =>
      page.evaluate(`(${browserSource})('/hushrec-client.js', ${items}, 64)`) as Promise<
        Awaited<ReturnType<typeof recommendFrom>>
      >;
    expect((await evaluate(5000)).items).toEqual(here.items);
    const large = await evaluate(100_000);
    expect(large.items).toHaveLength(20);
    // On a machine that does nothing else.
    if (process.env['HUSHREC_STRICT_TIMES']) expect(large.milliseconds).toBeLessThan(50);
    await page.close();
  });

  it('fetches a model, checks it and recommends, by three lines of code', async () => {
    const page = await opened.browser.newPage();
    await page.goto(opened.server.url);
    const first = await page.evaluate(`(async () => {
      const { fetchModel } = await import('/hushrec-client.js');
      const { recommender } = await fetchModel('/models/sample-no-privacy/');
      return recommender.recommend([{ id: 'item-2-0', rating: 5 }]).items[0].title;
    })()`);
    expect(first).toMatch(/^Orchard/);
    await page.close();
  });

  it('fetches a model again that is replaced while it is fetched', async () => {
    const page = await opened.browser.newPage();
    await page.goto(opened.server.url);
    let asked = 0;
    // The certificate is still the old one when all else is new.
    await page.route('**/models/shop/*', async (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1);
      const model = name === 'certificate.json' && asked++ === 0 ? 'sample-eps-1' : 'sample-eps-5';
      await route.fulfill({
        response: await page.request.get(`${opened.server.url}/models/${model}/${name}`),
      });
    });
    const epsilon = await page.evaluate(`(async () => {
      const { fetchModel } = await import('/hushrec-client.js');
      return (await fetchModel('/models/shop')).published.certificate.epsilon;
    })()`);
    const { models } = (await (await opened.server.ask('/api/models')).json()) as {
      models: { id: string; epsilon: number }[];
    };
    expect(epsilon).toBe(models.find(({ id }) => id === 'sample-eps-5')!.epsilon);
    // At first, to see whether it changed, and with all else.
    expect(asked).toBe(3);
    await page.close();
  });
});

/**
 * The function's text with the import left to the browser: the test runner rewrites `import()` for itself.
 */
const browserSource = recommendFrom
  .toString()
  .replace(/(?:__vi_import__|__vite_ssr_dynamic_import__)\(/g, 'import(');
