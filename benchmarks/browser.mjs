// One person's top-20 of 100,000 items on her own device: fold-in of her history and scores of all items, in
// Chromium.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { launchChromium } from '../tools/chromium.mjs';
import { printTable } from './measure.mjs';

const shape = { items: 100_000, rank: 64, history: 50, k: 20 };
const LIMIT = 10;
/** Recommendations between two looks at the clock of the thread. */
const RUNS = 10;

export async function benchmarkBrowser({ rounds }) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../packages/recommend/dist/index.js', import.meta.url))],
    bundle: true,
    format: 'iife',
    globalName: 'recommend',
    platform: 'browser',
    target: 'es2022',
    write: false,
  });
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    // Ticks of the page's own thread: what it used, however busy the machine is.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const scriptTime = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return 1000 * metrics.find(({ name }) => name === 'ThreadTime').value;
    };
    await page.addScriptTag({ content: outputFiles[0].text });
    const rows = [];
    for (const feedback of ['explicit', 'implicit']) {
      await page.evaluate(prepare, { ...shape, feedback });
      await page.evaluate(recommendOften, { ...shape, runs: 10 });
      const used = [];
      const wall = [];
      for (let round = 0; round < rounds; round++) {
        const before = await scriptTime();
        wall.push(...(await page.evaluate(recommendOften, { ...shape, runs: RUNS })));
        used.push(((await scriptTime()) - before) / RUNS);
      }
      rows.push({
        feedback,
        'processor ms, least mean': Math.min(...used),
        'wall ms, least': Math.min(...wall),
        'asked for, ms': LIMIT,
      });
    }
    const version = browser.version();
    printTable(
      `Fold-in of ${shape.history} ratings and top-${shape.k} of ${shape.items} items, d = ${shape.rank}, Chromium ${version}`,
      rows,
    );
    return { ...shape, chromium: version, rows };
  } finally {
    await browser.close();
  }
}

/** Runs in the page, where `recommend` is the library: a model of random vectors. */
function prepare({ items, rank, feedback }) {
  let state = 7;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const itemFactors = Float32Array.from({ length: items * rank }, () => (uniform() - 0.5) / Math.sqrt(rank));
  const unobservedWeight = feedback === 'implicit' ? 0.1 : 0;
  globalThis.recommender = new recommend.Recommender({
    model: {
      kind: 'factors',
      feedback,
      rank,
      itemFactors,
      itemBias: new Float32Array(items),
      offset: feedback === 'explicit' ? 3.5 : 0,
      foldIn: {
        ridge: 1,
        ridgeExponent: 0,
        unobservedWeight,
        ...(feedback === 'explicit' && { interceptRidge: 5 }),
      },
    },
    itemIds: Array.from({ length: items }, (_, item) => `item ${item}`),
  });
}

/** Runs in the page. */
function recommendOften({ items, history, k, runs }) {
  const times = [];
  for (let run = 0; run < runs; run++) {
    const own = Array.from({ length: history }, (_, at) => ({
      id: `item ${(run * 131 + at * 977) % items}`,
      rating: 1 + ((run + at) % 5),
    }));
    const started = performance.now();
    const { items: best } = globalThis.recommender.recommend(own, { k });
    times.push(performance.now() - started);
    if (best.length !== k) throw new Error('There are not as many recommendations as were asked for.');
  }
  return times;
}
