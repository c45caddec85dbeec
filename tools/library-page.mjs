// Writes docs/library.md: what the published packages export, from the compiled declarations and their doc
// comments. (Tools that do this do not follow TypeScript 7 yet.)
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = [
  { name: 'hushrec', entry: 'apps/cli/dist/index.d.ts', whole: true },
  { name: '@hushrec/client', entry: 'apps/page/dist/client.d.ts', whole: true },
  { name: '@hushrec/recommend', entry: 'packages/recommend/dist/index.d.ts', whole: false },
  { name: '@hushrec/model', entry: 'packages/model/dist/index.d.ts', whole: false },
  { name: '@hushrec/privacy', entry: 'packages/privacy/dist/index.d.ts', whole: false },
];

/** Everything a declaration file exports: name → { kind, text, doc }. */
export function exportsOf(file) {
  const source = readFileSync(file, 'utf8');
  const found = new Map();
  for (const declaration of declarationsIn(source)) found.set(declaration.name, declaration);
  for (const [, list, specifier] of source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm)) {
    const all = exportsOf(target(file, specifier));
    for (const entry of list.split(',')) {
      const [, name, alias] = /^\s*(?:type\s+)?(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(entry) ?? [];
      if (name === undefined) continue;
      const declaration = all.get(name);
      if (declaration === undefined)
        throw new Error(`${file} exports ${name}, which ${specifier} does not declare.`);
      found.set(alias ?? name, declaration);
    }
  }
  for (const [, specifier] of source.matchAll(/^export \* from '([^']+)';/gm))
    for (const [name, declaration] of exportsOf(target(file, specifier))) found.set(name, declaration);
  return found;
}

function target(file, specifier) {
  if (specifier.startsWith('.')) return resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts'));
  const [, name, part = 'index'] = /^@hushrec\/([a-z-]+)(?:\/([a-z-]+))?$/.exec(specifier);
  return ['packages', 'apps']
    .map((group) => join(root, group, name, 'dist', `${part}.d.ts`))
    .find((path) => existsSync(path));
}

function declarationsIn(source) {
  const found = [];
  const start =
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?^export (?:declare )?(?:abstract )?(?:async )?(function|class|interface|type|const) (\w+)/gm;
  for (const match of source.matchAll(start)) {
    const [whole, comment = '', kind, name] = match;
    const from = match.index + whole.lastIndexOf('export');
    found.push({ name, kind, doc: docOf(comment), text: source.slice(from, endOf(source, from, kind)) });
  }
  return found;
}

/** The end of a declaration: its closing brace, or its semicolon outside of brackets. */
function endOf(source, from, kind) {
  const isBody = kind === 'class' || kind === 'interface';
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const character = source[at];
    if (source.startsWith('/*', at)) at = source.indexOf('*/', at) + 1;
    else if ('{(['.includes(character)) depth++;
    else if ('})]'.includes(character)) {
      depth--;
      if (isBody && depth === 0 && character === '}') return at + 1;
    } else if (character === ';' && depth === 0) return at + 1;
  }
  return source.length;
}

/** A doc comment cut into what it says, its parameters, what is thrown, and examples. */
function docOf(comment) {
  const text = comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
  const [about = '', ...tags] = text.split(/^@(?=[a-z])/m);
  const tagged = (name) =>
    tags
      .filter((tag) => tag.startsWith(`${name} `) || tag.startsWith(`${name}\n`))
      .map((tag) => tag.slice(name.length).trim());
  return {
    about: about.trim(),
    params: tagged('param'),
    throws: tagged('throws'),
    examples: tagged('example'),
  };
}

/** A declaration as a reader wants it: without `export declare`, and without private members. */
function shown(text) {
  return text
    .replace(/^export (?:declare )?/, '')
    .split('\n')
    .filter((line) => !/^\s*#private;$/.test(line))
    .join('\n')
    .replace(/^ {4}/gm, '  ')
    .trim();
}

const oneLine = (text) => text.replace(/\s+/g, ' ');
const firstSentence = (text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;
const order = ['function', 'class', 'const', 'interface', 'type'];

function wholeSection(found) {
  const sorted = [...found].sort(
    ([a, x], [b, y]) => order.indexOf(x.kind) - order.indexOf(y.kind) || (a < b ? -1 : 1),
  );
  return sorted.map(([name, { kind, doc, text }]) =>
    [
      `### ${kind === 'function' ? `${name}()` : name}`,
      doc.about,
      ...doc.params.map(
        (param) => `- \`${param.split(' ')[0]}\`: ${oneLine(param.split(' ').slice(1).join(' '))}`,
      ),
      ...doc.throws.map((thrown) => `Throws: ${oneLine(thrown)}`),
      ...doc.examples.map((example) => `\`\`\`ts\n${example}\n\`\`\``),
      `\`\`\`ts\n${shown(text)}\n\`\`\``,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );
}

function listSection(found) {
  return [...found]
    .filter(([, { doc }]) => doc.about !== '')
    .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
    .map(([name, { kind, doc }]) => `- \`${name}\` (${kind}): ${oneLine(firstSentence(doc.about))}`);
}

/**
 * What a door promises: the mark at its head (`@public`, `@beta` or `@internal`), and the names that stand
 * under a mark of their own.
 */
export function stabilityOf(source) {
  const [, door] = /^\/\/ @(public|beta|internal)\b/m.exec(source) ?? [];
  const [, later = ''] = source.split(/^\/\/ @beta\b.*$/m);
  const lists = door === 'public' ? [...later.matchAll(/^export (?:type )?\{([^}]*)\}/gm)] : [];
  const beta = lists.flatMap(([, list]) =>
    list.split(',').map((name) => name.replace(/^\s*type /, '').trim()),
  );
  return { door, beta: beta.filter((name) => name !== '') };
}

const promises = {
  public: 'Kept by every release (`@public`, [policy](policy.md))',
  beta: 'May change with any minor version (`@beta`, [policy](policy.md))',
};

export function libraryPage() {
  const sections = packages.map(({ name, entry, whole }) => {
    const found = exportsOf(join(root, entry));
    const source = readFileSync(
      join(root, entry.replace('/dist/', '/src/').replace(/\.d\.ts$/, '.ts')),
      'utf8',
    );
    const { door, beta } = stabilityOf(source);
    const but =
      beta.length === 0
        ? ''
        : `, except ${beta.map((each) => `\`${each}\``).join(', ')}, which are \`@beta\``;
    return `## ${name}\n\n${promises[door]}${but}.\n\n${whole ? wholeSection(found).join('\n\n') : listSection(found).join('\n')}`;
  });
  return [
    '# The library',
    '',
    'Made from the declarations and their doc comments by `node tools/library-page.mjs`; a test compares the two. Examples are compiled and the',
    'script of [examples/script](../examples/script) is run by the tests. Every error that is meant for people has a field `kind` (`usage`, `data` or `privacy`).',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(join(root, 'docs/library.md'), libraryPage());
