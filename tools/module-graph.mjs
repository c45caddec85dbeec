// What files of the repository export, import and read, from their syntax: for the checks of
// tools/unused.mjs.
import { dirname, join, normalize } from 'node:path';
import { parseAst } from 'vite';

/**
 * A file as the checks see it.
 *
 * @typedef {object} Module
 * @property {string} path
 * @property {Map<string, { isType: boolean }>} exports names that it declares and exports
 * @property {{ as: string, name: string, from: string }[]} handedOn `export { name as as } from`
 * @property {string[]} handsOnAll `export * from`
 * @property {{ name: string, from: string }[]} imports `*` where the whole module is taken, or it is loaded
 * @property {Set<string>} asked modules that are asked for by a call: `require('x')`, `.resolve('x')`
 * @property {Set<string>} reads names behind a dot, and those that a pattern takes out of an object
 * @property {Set<string>} words every identifier
 * @property {Map<string, number>} mentions how often each identifier stands there
 * @property {Set<string>} strings every text between quotes
 * @property {Set<string>} tasks names of what threads run: `{ exportName: 'name' }`
 */

export const language = (path) => (path.endsWith('.tsx') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'jsx');

/** @returns {Module} */
export function moduleOf({ path, text }) {
  const { body } = parseAst(text, { lang: language(path) });
  const found = {
    path,
    exports: new Map(),
    handedOn: [],
    handsOnAll: [],
    imports: [],
    asked: new Set(),
    reads: new Set(),
    mentions: new Map(),
    strings: new Set(),
    tasks: new Set(),
  };
  for (const statement of body) noteStatement(found, statement);
  visit(body, (node) => noteNode(found, node));
  return { ...found, words: new Set(found.mentions.keys()) };
}

function noteStatement(found, statement) {
  const from = statement.source?.value;
  switch (statement.type) {
    case 'ImportDeclaration':
      // An import for its effects takes no name.
      if (statement.specifiers.length === 0) found.imports.push({ name: '', from });
      for (const each of statement.specifiers)
        found.imports.push({ name: each.type === 'ImportSpecifier' ? each.imported.name : '*', from });
      break;
    case 'ExportAllDeclaration':
      found.handsOnAll.push(from);
      break;
    case 'ExportNamedDeclaration': {
      for (const { exported, local } of statement.specifiers)
        if (from === undefined) found.exports.set(exported.name, { isType: statement.exportKind === 'type' });
        else found.handedOn.push({ as: exported.name, name: local.name, from });
      const { declaration } = statement;
      for (const { id } of declaration?.declarations ?? (declaration ? [declaration] : []))
        if (id?.name) found.exports.set(id.name, { isType: declaration.type.startsWith('TS') });
    }
  }
}

function noteNode(found, node) {
  switch (node.type) {
    case 'Identifier':
    case 'JSXIdentifier':
      found.mentions.set(node.name, (found.mentions.get(node.name) ?? 0) + 1);
      break;
    case 'Literal':
      if (typeof node.value === 'string') found.strings.add(node.value);
      break;
    case 'ImportExpression':
    case 'TSImportType':
      if (typeof node.source?.value === 'string') found.imports.push({ name: '*', from: node.source.value });
      break;
    case 'CallExpression': {
      const called = node.callee.name ?? node.callee.property?.name;
      const [first] = node.arguments;
      if ((called === 'require' || called === 'resolve') && typeof first?.value === 'string')
        found.asked.add(first.value);
      break;
    }
    case 'Property':
      if (node.key.name === 'exportName' && node.value.value) found.tasks.add(node.value.value);
      break;
    case 'MemberExpression':
      found.reads.add(node.computed ? node.property.value : node.property.name);
      break;
    case 'ObjectPattern':
      for (const { key } of node.properties) if (key) found.reads.add(key.name ?? key.value);
  }
}

export function visit(node, see) {
  if (Array.isArray(node)) for (const each of node) visit(each, see);
  else if (node !== null && typeof node === 'object') {
    if (typeof node.type === 'string') see(node);
    for (const key in node) if (key !== 'type') visit(node[key], see);
  }
}

/** Files with their imports followed to where names are declared. */
export class ModuleGraph {
  /** @param {readonly { path: string, text: string }[]} files */
  constructor(files) {
    this.modules = new Map(files.map((file) => [file.path, moduleOf(file)]));
  }

  /** The file that `specifier` means in `from`; undefined for packages of others. */
  resolve(from, specifier) {
    return this.#candidates(from, specifier).find((path) => this.modules.has(path));
  }

  #candidates(from, specifier) {
    if (specifier.startsWith('.')) {
      const path = normalize(join(dirname(from), specifier));
      const source = path.replace('/dist/', '/src/');
      return [path, ...['.ts', '.tsx'].map((end) => source.replace(/\.js$/, end))];
    }
    if (specifier === 'hushrec') return ['apps/cli/src/index.ts'];
    if (specifier === '@hushrec/client') return ['apps/page/src/client.ts'];
    const [, name, door] = /^@hushrec\/([\w-]+)(?:\/([\w-]+))?$/.exec(specifier) ?? [];
    if (name === undefined) return [];
    if (name === 'papers') return [`papers/${door ?? 'methods'}.ts`];
    return [`packages/${name}`, `apps/${name}`, name].map((folder) => `${folder}/src/${door ?? 'index'}.ts`);
  }

  /** Where what `path` exports as `name` is declared, as `file#name`. */
  declarationOf(path, name, seen = new Set()) {
    const module = this.modules.get(path);
    if (module === undefined || seen.has(path)) return undefined;
    if (module.exports.has(name)) return `${path}#${name}`;
    const handed = module.handedOn.find(({ as }) => as === name);
    if (handed) return this.declarationOf(this.resolve(path, handed.from), handed.name);
    seen.add(path);
    for (const from of module.handsOnAll) {
      const found = this.declarationOf(this.resolve(path, from), name, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `file#name` of every declaration → the files that import it by name or take it out of a whole module. */
  users() {
    const users = new Map();
    for (const { path, imports, words } of this.modules.values())
      for (const { name, from } of imports) {
        const target = this.resolve(path, from);
        for (const each of name === '*' ? words : [name]) {
          const declared = this.declarationOf(target, each);
          if (declared !== undefined) users.set(declared, (users.get(declared) ?? new Set()).add(path));
        }
      }
    return users;
  }

  /** The files that a file imports by path, and those that these do, itself included. */
  reachableFrom(path, reached = new Set()) {
    if (path === undefined || reached.has(path)) return reached;
    reached.add(path);
    const { imports, handedOn, handsOnAll } = this.modules.get(path);
    for (const from of [...[...imports, ...handedOn].map((each) => each.from), ...handsOnAll])
      if (from.startsWith('.')) this.reachableFrom(this.resolve(path, from), reached);
    return reached;
  }
}
