// `node tools/wrap-comments.mjs [--write]`: comments that are wider than the formatter's lines. The formatter
// leaves comments alone; this wraps their paragraphs. Formulas and tables (text set in by two spaces or
// more), lists and tags keep their lines.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { formatter } = JSON.parse(readFileSync(new URL('../biome.json', import.meta.url), 'utf8'));
const width = formatter.lineWidth;
const operator = /^[-+−=≤≥<>·×∈⪰⪯≈→/]$/;
const longestFormula = 48;

/** A source text with its wide comments wrapped. */
export function withWrappedComments(text) {
  const lines = text.split('\n').flatMap(opened);
  const out = [];
  for (let at = 0; at < lines.length; ) {
    const own = proseOf(lines[at]);
    if (own === undefined) {
      out.push(lines[at++]);
      continue;
    }
    let end = at + 1;
    while (end < lines.length && continues(proseOf(lines[end]), own)) end++;
    const paragraph = lines.slice(at, end);
    out.push(...(paragraph.some((line) => line.length > width) ? wrapped(paragraph, own) : paragraph));
    at = end;
  }
  return out.join('\n');
}

/** A wide one-line block comment as three lines. */
function opened(line) {
  const [, indent, mark, body] = /^(\s*)(\/\*\*?) (.*) \*\/$/.exec(line) ?? [];
  if (mark !== '/**' || line.length <= width) return [line];
  return [`${indent}/**`, `${indent} * ${body}`, `${indent} */`];
}

/**
 * What a line of comment begins with and says; undefined for other lines and for lines that stand by
 * themselves.
 */
function proseOf(line) {
  const [, prefix, body] = /^(\s*(?:\/\/|\*) )(\S.*)$/.exec(line) ?? [];
  // What tools read stays on its line.
  if (body === undefined || /biome-ignore|@ts-|@vite|@__/.test(body)) return undefined;
  if (body === '/' || body.endsWith('*/') || /^[|`]{3}|^\|/.test(body)) return undefined;
  return {
    prefix,
    body,
    begins: /^(?:[-*•] |\d+\. |@\w|(?:Lemma|Proof|Claim|Theorem|Corollary)\b)/.test(body),
  };
}

function continues(next, own) {
  return next !== undefined && next.prefix === own.prefix && !next.begins;
}

function wrapped(paragraph, { prefix }) {
  const words = unbroken(paragraph.flatMap((line) => line.slice(prefix.length).split(' ').filter(Boolean)));
  const hanging = /^[-*•]$/.test(words[0]) ? '  ' : /^\d+\.$/.test(words[0]) ? '   ' : '';
  const lines = [];
  let line = prefix + words[0];
  for (const word of words.slice(1)) {
    // A word that would begin a list or a tag does not begin a line.
    if (line.length + 1 + word.length > width && !/^(?:[-*•]|\d+\.|@\w+)$/.test(word)) {
      lines.push(line);
      line = prefix + hanging + word;
    } else line += ` ${word}`;
  }
  return [...lines, line];
}

/**
 * Words, an operator together with what stands on both its sides: formulas are not torn apart where that can
 * be helped.
 */
function unbroken(words) {
  const out = [];
  for (const word of words) {
    const last = out.at(-1);
    const glued = last !== undefined && (operator.test(word) || operator.test(last.split(' ').at(-1)));
    if (glued && last.length + word.length < longestFormula) out[out.length - 1] = `${last} ${word}`;
    else out.push(word);
  }
  return out;
}

/** Files with comments that are too wide, as git knows them. */
export function filesWithWideComments(root) {
  return sources(root).filter(({ text }) => withWrappedComments(text) !== text);
}

function sources(root) {
  return (
    execFileSync('git', ['ls-files', '--', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      // Git knows files that were removed and are not committed yet.
      .filter((path) => path !== '' && existsSync(join(root, path)))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const wide = filesWithWideComments(root);
  for (const { path, text } of wide) {
    console.log(path);
    if (process.argv.includes('--write')) writeFileSync(join(root, path), withWrappedComments(text));
  }
  console.log(`${wide.length} files with comments wider than ${width}`);
}
