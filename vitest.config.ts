import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { filesOf, tierOf } from './tools/test-tiers.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const files = filesOf(process.env['HUSHREC_TESTS'] ?? 'all', root);
/** What a test does to its process that the next one would see. */
const leavesTraces = /\b(?:registerMethods|loadPlugin)\(|\bvi\.(?:mock|spyOn|stubEnv|stubGlobal)\(/;
const sharesImports = (file: string) =>
  tierOf(file) === 'fast' && !leavesTraces.test(readFileSync(`${root}${file}`, 'utf8'));

// Workspace packages resolve to their sources, so a test never runs against a stale build. Worker files
// are the exception: threads load dist/, which `npm test` has just built.
export default defineConfig({
  resolve: {
    alias: [
      {
        find: '@hushrec/papers/experiments',
        replacement: new URL('./papers/experiments.ts', import.meta.url).pathname,
      },
      {
        find: '@hushrec/papers/register',
        replacement: new URL('./papers/register.ts', import.meta.url).pathname,
      },
      { find: '@hushrec/papers', replacement: new URL('./papers/methods.ts', import.meta.url).pathname },
      {
        find: /^@hushrec\/(page|server)$/,
        replacement: new URL('./apps/$1/src/index.ts', import.meta.url).pathname,
      },
      {
        find: /^@hushrec\/(page|server)\/([a-z-]+)$/,
        replacement: new URL('./apps/$1/src/$2.ts', import.meta.url).pathname,
      },
      {
        find: /^@hushrec\/([a-z-]+)$/,
        replacement: new URL('./packages/$1/src/index.ts', import.meta.url).pathname,
      },
      {
        find: /^@hushrec\/([a-z]+)\/([a-z-]+)$/,
        replacement: new URL('./packages/$1/src/$2.ts', import.meta.url).pathname,
      },
    ],
  },
  test: {
    // Short tests share what they import: half of their processor time was loading it for each file. All of
    // them know the papers' methods, whichever came first.
    projects: [
      {
        extends: true,
        test: {
          name: 'short',
          include: files.filter(sharesImports),
          isolate: false,
          setupFiles: ['papers/register.ts'],
        },
      },
      { extends: true, test: { name: 'others', include: files.filter((file) => !sharesImports(file)) } },
    ].filter(({ test }) => test.include.length > 0),
    globalSetup: ['packages/testing/src/state-folders.setup.ts'],
    setupFiles: ['packages/testing/src/own-state.setup.ts'],
    pool: 'forks',
    // Node 20 has relaxed SIMD behind a flag; later versions have it without. With it no kernel test is
    // skipped.
    execArgv: process.versions.node.startsWith('20.') ? ['--experimental-wasm-relaxed-simd'] : [],
    maxWorkers: 2,
    // These end what hangs, and decide nothing: a busy machine may be ten times slower than a quiet one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
