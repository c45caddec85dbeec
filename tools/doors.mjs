// `npm run doors`: every way into the product that reaches people or writes a model, and the tests that hold
// it to the promise, as docs/doors.md. `--check` prints what is missing instead (tools/check.mjs does).
//
// A door is found, not listed: an entry (a command, a function of the library, the page on which visitors
// take part) from whose code one gets, declaration by declaration, to people's ratings behind `People`, to
// what writes a folder, or to what charges. Tests say what they show by a comment above them:
//
//   // @door train: plan-hash, charge
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseAst } from 'vite';
import { alignTables } from './align-tables.mjs';
import { language, ModuleGraph, visit } from './module-graph.mjs';
import { sourceFiles } from './unused.mjs';

/** What a test of a door shows, and how the table calls it. */
const shown = {
  'plan-hash': 'plan hash checked',
  charge: 'total charged',
  neighbours: 'neighbours compared',
  kills: 'killed and resumed',
};

/** Functions and methods that charge, issue or write, and the only files that may use them. */
const door = [
  'packages/train/src/left-over.ts',
  'packages/train/src/make-run.ts',
  'packages/train/src/pay.ts',
  'packages/train/src/train-and-publish.ts',
];
const guarded = {
  calls: { names: ['spend', 'recordUnprotected', 'complete'], by: door },
  imports: {
    'packages/ledger/src/run-cost.ts#costOf': [
      ...['packages/train/src/pay.ts', 'packages/train/src/plan-hash.ts'],
      // These show a cost, and charge nothing.
      ...['apps/cli/src/commands/ledger-tune.ts', 'apps/server/src/accounting/plan-preview.ts'],
    ],
    'packages/privacy/src/charged-event.ts#chargedEvent': ['packages/ledger/src/run-cost.ts'],
    'packages/train/src/make-run.ts#makeRun': [
      ...['apps/cli/src/commands/train.ts', 'apps/cli/src/library/train.ts'],
      'apps/cli/src/commands/ledger-tune.ts',
      'apps/cli/src/release-figure.ts',
      ...['party', 'coordinator', 'simulate'].map((role) => `apps/cli/src/commands/federate-${role}.ts`),
    ],
    'packages/train/src/train-and-publish.ts#trainAndPublish': ['packages/train/src/make-run.ts'],
    'packages/train/src/publish-federated.ts#publishFederated': ['packages/train/src/make-run.ts'],
    'packages/train/src/pay.ts#pay': door,
    'packages/train/src/publish/write-folder.ts#writeModelFolder': [
      ...['packages/train/src/train-and-publish.ts', 'packages/train/src/publish-federated.ts'],
    ],
    'packages/train/src/publish/encode-published.ts#encodePublished': [
      'packages/train/src/publish/write-folder.ts',
    ],
    'packages/train/src/publish/certify.ts#certify': [
      ...['packages/train/src/publish-federated.ts', 'packages/train/src/publish/certificate-of-run.ts'],
    ],
    'packages/ratings/src/durable-files.ts#moveFolderIntoPlace': [
      'packages/ratings/src/dataset-folder/write-dataset.ts',
      'packages/train/src/kept-versions.ts',
      'packages/train/src/publish/write-folder.ts',
    ],
    'packages/federate/src/contributor-record.ts#chargeRun': [
      'packages/federate/src/take-part.ts',
      // An experiment’s own protocol, in one process.
      'papers/dpimf/parties/party.ts',
    ],
  },
};

/** Code that starts a command as a process of its own, which no import shows. */
const startsCommand = {
  'apps/server/src/jobs/train-arguments.ts#trainArguments': 'apps/cli/src/commands/train.ts#registerTrain',
};

/** Doors through which nothing about people gets out, and why each is none. */
const releasesNothing = JSON.parse(readFileSync(new URL('./doors.json', import.meta.url), 'utf8'));

/** The parts of a file that can be reached by themselves: its top-level declarations. */
function partsOf({ path, text }) {
  const { body } = parseAst(text, { lang: language(path) });
  const aliases = new Map();
  const parts = new Map();
  const note = (name, node) => {
    const part = parts.get(name) ?? { words: new Set(), calls: new Set(), loads: new Set(), isPeople: false };
    parts.set(name, part);
    visit(node, (each) => {
      if (each.type === 'Identifier' || each.type === 'JSXIdentifier') part.words.add(each.name);
      if (each.type === 'ImportExpression' && typeof each.source?.value === 'string')
        part.loads.add(each.source.value);
      if (each.type === 'CallExpression' && each.callee.type === 'MemberExpression')
        part.calls.add(each.callee.property.name);
      if (each.type === 'ClassDeclaration')
        part.isPeople ||= (each.implements ?? []).some(({ expression }) => expression.name === 'People');
    });
  };
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') {
      for (const each of statement.specifiers)
        aliases.set(each.local.name, {
          name: each.type === 'ImportSpecifier' ? each.imported.name : '*',
          from: statement.source.value,
        });
      continue;
    }
    const declared = statement.declaration ?? statement;
    const each = declared.declarations ?? [declared];
    for (const one of each) note(one.id?.name ?? '', one);
  }
  return { aliases, parts };
}

/** Declarations with what they mention. */
export class Reach {
  /** @param {readonly { path: string, text: string }[]} files */
  constructor(files) {
    this.graph = new ModuleGraph(files);
    this.files = new Map(files.map((file) => [file.path, partsOf(file)]));
  }

  #next(node) {
    const [path, name] = node.split('#');
    const file = this.files.get(path);
    if (file === undefined) return [];
    const { aliases, parts } = file;
    // What runs when the file is loaded runs whichever part is used.
    const own = [parts.get(name), parts.get('')].filter((part) => part !== undefined);
    const found = [startsCommand[node]];
    for (const { words } of own.length > 0 ? own : parts.values())
      for (const word of words) {
        if (parts.has(word)) found.push(`${path}#${word}`);
        const alias = aliases.get(word);
        if (alias !== undefined && alias.name !== '*')
          found.push(this.graph.declarationOf(this.graph.resolve(path, alias.from), alias.name));
        const whole = [...aliases.values()].filter((each) => each.name === '*').map(({ from }) => from);
        for (const from of whole) found.push(this.graph.declarationOf(this.graph.resolve(path, from), word));
      }
    // A module that one function loads may be handed to another, which takes from it what it names.
    const loads = new Set(own.flatMap((each) => [...each.loads]));
    if (loads.size > 0)
      for (const { words } of parts.values())
        for (const word of words)
          for (const from of loads)
            found.push(this.graph.declarationOf(this.graph.resolve(path, from), word));
    return found.filter((each) => each !== undefined);
  }

  /** Everything that one gets to from a declaration. */
  from(start) {
    const reached = new Set([start]);
    for (const node of reached) for (const next of this.#next(node)) reached.add(next);
    return reached;
  }

  /** What a declaration is, of the things that make an entry a door. */
  kindOf(node) {
    const [path, name] = node.split('#');
    const part = this.files.get(path)?.parts.get(name);
    if (part === undefined) return undefined;
    if (part.isPeople && name !== 'NoPeople') return 'people';
    if (part.words.has('moveFolderIntoPlace') && name !== 'moveFolderIntoPlace') return 'folder';
    const isCharge = name === 'chargeRun' || (door.includes(path) && part.calls.has('spend'));
    return isCharge ? 'charge' : undefined;
  }
}

const isTest = (path) => /\.test\.|\.test-|\.setup\.ts$|^packages\/testing\//.test(path);
const isProduct = ({ path }) => /^(?:packages|apps|papers)\//.test(path) && !isTest(path);

/** Where people come in: `name` as they know it, and the declaration behind it. */
function entriesOf(reach) {
  const entries = [];
  for (const [path, { parts }] of reach.files) {
    if (!/^apps\/cli\/src\/commands\/[\w-]+\.ts$/.test(path)) continue;
    for (const name of parts.keys())
      if (/^register/.test(name) && parts.get(name).words.has('addCommand'))
        entries.push({ name: basename(path, '.ts').replace('-', ' '), at: `${path}#${name}` });
  }
  const library = reach.graph.modules.get('apps/cli/src/index.ts')?.handedOn ?? [];
  for (const { as, from } of library.filter((each) => each.from.startsWith('./library/')))
    if (/^[a-z]/.test(as))
      entries.push({
        name: `${as}()`,
        at: reach.graph.declarationOf(reach.graph.resolve('apps/cli/src/index.ts', from), as),
      });
  entries.push({ name: 'page take-part', at: 'apps/page/src/site/take-part/main.ts#' });
  return entries.filter(({ at }) => at !== undefined && reach.files.has(at.split('#')[0]));
}

/** The doors of some files: entries, with what they get to. */
export function doorsOf(reach) {
  return entriesOf(reach).flatMap(({ name, at }) => {
    const kinds = new Set([...reach.from(at)].map((node) => reach.kindOf(node)));
    kinds.delete(undefined);
    return kinds.size === 0 ? [] : [{ name, at, kinds: [...kinds].sort() }];
  });
}

/** Uses of what charges, issues or writes outside the door. */
export function usesBesideTheDoor(reach) {
  const errors = [];
  for (const [path, { parts }] of reach.files) {
    if (!isProduct({ path }) || path.startsWith('packages/ledger/')) continue;
    const { names, by } = guarded.calls;
    for (const { calls } of parts.values())
      for (const call of calls)
        if (names.includes(call) && !by.includes(path))
          errors.push(`${path} calls ${call}(): accounts are charged by makeRun of @hushrec/train alone.`);
  }
  const users = reach.graph.users();
  for (const [declared, allowed] of Object.entries(guarded.imports)) {
    if (reach.files.size > 1 && !reach.files.get(declared.split('#')[0])?.parts.has(declared.split('#')[1]))
      errors.push(`tools/doors.mjs guards ${declared}, which is not there.`);
    for (const path of users.get(declared) ?? [])
      if (isProduct({ path }) && !allowed.includes(path))
        errors.push(
          `${path} imports ${declared.split('#')[1]}, which is for ${allowed.map((each) => basename(each)).join(', ')}: hand a run to makeRun of @hushrec/train.`,
        );
  }
  return errors;
}

/** What tests say that they show, and what is wrong with that. */
export function tagsOf(tests, doors) {
  const graph = new ModuleGraph(tests.filter(({ path }) => /\.ts$/.test(path)));
  const tags = [];
  const errors = [];
  for (const { path, text } of tests)
    for (const { 1: name, 2: list, index } of text.matchAll(/^[ ]*\/\/ @door ([^:\n]+): (.+)$/gm)) {
      const where = `${path}: @door ${name}`;
      const next =
        text
          .slice(index)
          .split('\n')
          .find((line) => !/^\s*(\/\/|\/\*\*|\*)/.test(line)) ?? '';
      const wrong = [
        !doors.some((each) => each.name === name) && 'there is no such door.',
        !/^\s*(?:it|describe)\b/.test(next) && 'no test stands below it.',
        !drives(graph, path, name) && 'the file does not use that door.',
        ...list
          .split(', ')
          .map((what) => !(what in shown) && `${what} is none of ${Object.keys(shown).join(', ')}.`),
      ].filter((each) => each !== false);
      if (wrong.length > 0) errors.push(...wrong.map((each) => `${where}: ${each}`));
      else tags.push(...list.split(', ').map((what) => ({ name, what, path })));
    }
  return { tags, errors };
}

/** Whether a test file, or what it imports of other test files, names the words of a door or imports it. */
function drives(graph, path, name) {
  const files = [...graph.reachableFrom(path)].map((each) => graph.modules.get(each));
  const strings = new Set(files.flatMap((each) => [...each.strings].flatMap((text) => text.split(/[\s/]+/))));
  const words = new Set(files.flatMap((each) => [...each.words]));
  const own = {
    // Another process imports it, by its place.
    'train()': ['library'],
    serve: ['startServer', 'testServer', 'Served', 'trainArguments'],
    'federate aggregator': ['Aggregator', 'aggregator'],
    'federate party': ['takePart'],
    'page take-part': ['takePart'],
  };
  if (name.endsWith('()') && words.has(name.slice(0, -2))) return true;
  return (
    (own[name] ?? []).some((each) => words.has(each)) || name.split(' ').every((word) => strings.has(word))
  );
}

/** Everything that is wrong with doors: guards, tags, and cells that nobody filled. */
export function doorErrors(files, given = releasesNothing) {
  const reach = new Reach(files.filter((file) => isProduct(file)));
  const doors = doorsOf(reach);
  const { tags, errors } = tagsOf(
    files.filter(({ path }) => isTest(path)),
    doors,
  );
  const missing = doors.flatMap(({ name, at }) => {
    const without = given[name] ?? {};
    if (typeof without === 'string') return [];
    return Object.keys(shown)
      .filter((what) => without[what] === undefined)
      .filter((what) => !tags.some((tag) => tag.name === name && tag.what === what))
      .map(
        (what) =>
          `${at.split('#')[0]}: \`${name}\` is a door (it reaches people, a folder or an account), and no test shows "${shown[what]}". Write one below \`// @door ${name}: ${what}\`, or say in tools/doors.json why none is needed.`,
      );
  });
  const unknown = Object.keys(given)
    .filter((name) => !doors.some((each) => each.name === name))
    .map((name) => `tools/doors.json: ${name} is no door any more; take it out.`);
  return { doors, tags, errors: [...usesBesideTheDoor(reach), ...errors, ...missing, ...unknown] };
}

/** The page: a table of doors that tell something about people, and the list of those that do not. */
export function doorsPage({ doors, tags }, given = releasesNothing) {
  const link = (path) => `[${basename(path).replace(/\.test\.ts$/, '')}](../${path})`;
  const cell = (name, what) => {
    const paths = [
      ...new Set(tags.filter((tag) => tag.name === name && tag.what === what).map(({ path }) => path)),
    ];
    return paths.length > 0 ? paths.map(link).join(', ') : (given[name]?.[what] ?? 'MISSING');
  };
  const open = doors.filter(({ name }) => typeof given[name] !== 'string');
  const columns = Object.keys(shown);
  const page = [
    '# Doors',
    '',
    'Made by `npm run doors` from the import graph: every command, library function and page from which code gets to people’s ratings,',
    'to an account or to what writes a folder. `makeRun` of `packages/train/src/make-run.ts` is the one function behind them that charges',
    'and publishes; `tools/check.mjs` fails where anything else imports what charges, certifies or writes, and where a door below has an',
    'empty cell. Each cell names the tests that show it, or why there is nothing to show.',
    '',
    `| Door | ${columns.map((what) => shown[what]).join(' | ')} |`,
    `| --- | ${columns.map(() => '---').join(' | ')} |`,
    ...open.map(({ name }) => `| \`${name}\` | ${columns.map((what) => cell(name, what)).join(' | ')} |`),
    '',
    '## Entries that reach the same code and tell nobody anything about people',
    '',
    ...doors
      .filter(({ name }) => typeof given[name] === 'string')
      .map(({ name }) => `- \`${name}\`: ${given[name]}`),
    '',
  ];
  return alignTables(page.join('\n'));
}

export function repositoryDoors(root) {
  return doorErrors(sourceFiles(root));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const found = repositoryDoors(root);
  if (!process.argv.includes('--check')) {
    writeFileSync(join(root, 'docs/doors.md'), doorsPage(found));
    console.log(`docs/doors.md: ${found.doors.length} doors.`);
  }
  for (const error of found.errors) console.error(error);
  process.exitCode = found.errors.length > 0 ? 1 : 0;
}
