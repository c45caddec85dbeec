import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../tools/describe-in-chromium.mjs';
import * as privacy from './index.js';

/** Runs here and, as text, in the browser: a seeded release, and how many draws a second there are. */
async function releaseAndTime(
  library: typeof privacy,
): Promise<{ released: number[]; drawsPerSecond: number }> {
  const plan = library.calibrate(
    {
      unit: 'user',
      relation: 'add-remove',
      released: 'test',
      releases: [{ name: 'sums', mechanism: { kind: 'gaussian' }, sensitivity: 1, count: 1, share: 1 }],
    },
    { epsilon: 1, delta: 1e-5 },
  );
  const open = library.createRecorder(plan, { seed: 'same everywhere' }).begin('sums');
  const released = await open.add(0, library.sensitive(new Float64Array(20_000), 'l2', 1), 2 ** -28);
  const target = new Float64Array(1_000_000);
  let fastest = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    library.drawDiscreteGaussian(target, 2 ** 30);
    fastest = Math.min(fastest, performance.now() - start);
  }
  return { released: Array.from(released), drawsPerSecond: (1000 * target.length) / fastest };
}

/** On a machine that does nothing else; on others nothing is decided by the clock. */
const leastRate = process.env['HUSHREC_STRICT_TIMES'] ? 10e6 : 0;

describeInChromium('in Chromium', (opened) => {
  let bundle: string;

  beforeAll(async () => {
    const built = await build({
      entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
      bundle: true,
      format: 'iife',
      globalName: 'privacy',
      platform: 'browser',
      target: 'es2022',
      // Only threads need to know where a file lies, and this page has none.
      logOverride: { 'empty-import-meta': 'silent' },
      write: false,
    });
    bundle = built.outputFiles[0].text;
  });

  it('draws the same noise as in Node from the same seed, and at least 10 million a second of it', async () => {
    const page = await opened.browser.newPage();
    await page.addScriptTag({ content: bundle });
    const there = (await page.evaluate(`(${releaseAndTime.toString()})(privacy)`)) as Awaited<
      ReturnType<typeof releaseAndTime>
    >;
    const here = await releaseAndTime(privacy);
    expect(there.released).toEqual(here.released);
    expect(there.drawsPerSecond).toBeGreaterThan(leastRate);
    expect(here.drawsPerSecond).toBeGreaterThan(leastRate);
  });

  it('has secret noise of its own', async () => {
    const page = await opened.browser.newPage();
    await page.addScriptTag({ content: bundle });
    const draws = (await page.evaluate(`(() => {
      const draw = () => { const x = new Float64Array(100); privacy.drawDiscreteGaussian(x, 1e6); return Array.from(x); };
      return [draw(), draw()];
    })()`)) as number[][];
    expect(draws[0]).not.toEqual(draws[1]);
  });
});
