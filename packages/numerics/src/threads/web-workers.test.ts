import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../../../../tools/describe-in-chromium.mjs';
import type { createEngine, EngineOptions } from '../create-engine.js';
import * as createEngineModule from '../create-engine.js';

interface Outcome {
  readonly description: string;
  readonly warnings: readonly string[];
  readonly solved: number[];
  readonly indices: number[];
  readonly scores: number[];
}

/**
 * Runs here and, as text, in the browser; large enough (over 4 million multiply-adds a job) that a pool would
 * be used.
 */
async function solveAndScore(
  library: { readonly createEngine: typeof createEngine },
  options: EngineOptions,
): Promise<Outcome> {
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const [people, items, width, each] = [300, 2000, 32, 50];
  const factors = (rowCount: number) => ({
    rowCount,
    width,
    data: new Float32Array(rowCount * width).map(random),
  });
  const rows = {
    rowCount: people,
    columnCount: items,
    offsets: Uint32Array.from({ length: people + 1 }, (_, row) => row * each),
    indices: Uint32Array.from({ length: people * each }, (_, k) => (k * 37) % items),
    values: new Float32Array(people * each).map(random),
  };
  const fixed = factors(items);
  const out = factors(people);
  const engine = await library.createEngine(options);
  await engine.solveRows({ rows, fixed, ridge: 1, out });
  const best = await engine.topK({ rows: out, items: fixed, k: 10 });
  await engine.close();
  return {
    description: engine.description,
    warnings: engine.warnings,
    solved: Array.from(out.data),
    indices: Array.from(best.indices),
    scores: Array.from(best.scores),
  };
}

/**
 * Serves the compiled package as modules, with or without the headers that isolate a page from other origins.
 */
async function serve(isolated: boolean, started: string[]): Promise<Server> {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost');
    if (isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    if (pathname === '/') {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>numerics</title>');
      return;
    }
    if (basename(pathname) === 'worker.js') started.push(pathname);
    try {
      const source = await readFile(join(dist, pathname.replace(/^\/dist/, '')));
      response.setHeader('Content-Type', 'text/javascript').end(source);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describeInChromium('in Chromium', (opened) => {
  const servers: Server[] = [];
  beforeAll(async () => {}, 60_000);
  afterAll(async () => {
    for (const server of servers) server.close();
  });

  /** A page, the worker scripts it asked for, and a way to compute in it. */
  async function open(isolated: boolean) {
    const started: string[] = [];
    const server = await serve(isolated, started);
    servers.push(server);
    const page = await opened.browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const compute = (options: EngineOptions) =>
      page.evaluate(
        `import('/dist/create-engine.js').then((library) => (${solveAndScore.toString()})(library, ${JSON.stringify(options)}))`,
      ) as Promise<Outcome>;
    return { page, started, compute };
  }

  it('two Web Workers on an isolated page give the bytes of one thread, and of Node', async () => {
    const { page, started, compute } = await open(true);
    expect(await page.evaluate('crossOriginIsolated')).toBe(true);
    const two = await compute({ threads: 2, kernel: 'simd' });
    expect(started.length).toBeGreaterThan(0);
    expect(two).toMatchObject({ description: 'simd kernels, 2 threads', warnings: [] });
    const one = await compute({ threads: 1, kernel: 'simd' });
    const node = await solveAndScore(createEngineModule, { threads: 1, kernel: 'simd' });
    for (const other of [one, node]) {
      expect(two.solved).toEqual(other.solved);
      expect(two.indices).toEqual(other.indices);
      expect(two.scores).toEqual(other.scores);
    }
  });

  it('a page that is not isolated computes the same in one thread, and says so once', async () => {
    const { page, started, compute } = await open(false);
    expect(await page.evaluate('crossOriginIsolated')).toBe(false);
    const alone = await compute({});
    expect(started).toEqual([]);
    expect(alone.description).toMatch(/, 1 thread$/);
    expect(alone.warnings).toEqual(['This host has no SharedArrayBuffer: training uses one thread.']);
    const same = await compute({ threads: 2, kernel: 'simd' });
    expect(same.description).toBe('simd kernels, 1 thread');
    const node = await solveAndScore(createEngineModule, { threads: 2, kernel: 'simd' });
    expect(same.solved).toEqual(node.solved);
    expect(same.indices).toEqual(node.indices);
  });
});
