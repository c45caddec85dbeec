import { expect, it } from 'vitest';
// @ts-expect-error: a tool in plain JavaScript
import { withWrappedComments } from './wrap-comments.mjs';

const words = (count: number) => Array.from({ length: count }, (_, k) => `word${k}`).join(' ');
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

it('wraps wide comments and nothing else, once and for all', () => {
  const code = `const text = '${words(30)}';`;
  const formula = ` *   f = ${words(30)}`;
  const before = `/** ${words(30)} */\n${code}\n// ${words(40)}\n/**\n * Short.\n *\n${formula}\n * - ${words(30)}\n */`;
  const after: string = withWrappedComments(before);
  expect(after).toContain(code);
  expect(after).toContain(formula);
  const rest = after.split('\n').filter((line) => line !== code && line !== formula);
  expect(widest(rest.join('\n'))).toBeLessThanOrEqual(110);
  expect(withWrappedComments(after)).toBe(after);
  const said = (text: string) => text.replace(/[\s/*-]+/g, ' ').trim();
  expect(said(after)).toBe(said(before));
});

it('leaves what is narrow as it is', () => {
  const text = '// One line\n// and the next.\n/** A comment. */\nconst x = 1; // and a remark';
  expect(withWrappedComments(text)).toBe(text);
});
