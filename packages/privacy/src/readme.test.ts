import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { expect, it } from 'vitest';
import * as privacy from './index.js';

it('the example of the README runs, and costs what it says', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1];
  const { code } = await transform(example, { loader: 'ts', format: 'esm' });
  const body = code.replace(/import \{([\s\S]*?)\} from "@hushrec\/privacy";/, 'const {$1} = privacy;');
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor;
  const { noisy, cost } = await new AsyncFunction('privacy', `${body}; return { noisy, cost };`)(privacy);
  expect(noisy).toHaveLength(4);
  expect(cost).toBe(1);
});
