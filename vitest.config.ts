import { defineConfig } from 'vitest/config';

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
    include: ['{packages,apps}/*/src/**/*.test.ts', 'papers/**/*.test.ts', 'tools/**/*.test.ts'],
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
