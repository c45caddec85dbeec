// Which tests load a file, by following their imports: no other can notice a fault in it.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Test files in `places` (folders or files, below `root`) that import `file`, directly or through others, and
 * by how many steps, the nearest first.
 */
export function testsReaching(root, file, places) {
  const target = join(root, file);
  const known = new Map();
  return places
    .flatMap((place) => (statSync(join(root, place)).isDirectory() ? testsIn(root, place) : [place]))
    .map((test) => ({ test, steps: imports(root, join(root, test), known).get(target) }))
    .filter(({ steps }) => steps !== undefined)
    .sort((a, b) => a.steps - b.steps);
}

function testsIn(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => path.endsWith('.test.ts') && !/node_modules|[\\/]dist[\\/]/.test(path));
}

/** Every file that loading `path` loads, itself included, and how many imports away it is. */
function imports(root, path, known) {
  const found = new Map([[path, 0]]);
  for (const [each, steps] of found) {
    if (!known.has(each)) known.set(each, directImports(root, each));
    for (const next of known.get(each)) if (!found.has(next)) found.set(next, steps + 1);
  }
  return found;
}

function directImports(root, path) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import|import\()\s*'([^']+)'/g)].flatMap(([, name]) => {
    const [, workspace, part = 'index'] = /^@hushrec\/([a-z]+)(?:\/([a-z-]+))?$/.exec(name) ?? [];
    const candidates = name.startsWith('.')
      ? [resolve(dirname(path), name.replace(/\.js$/, '.ts')), resolve(dirname(path), name)]
      : ['packages', 'apps'].map((folder) => join(root, folder, workspace ?? '', 'src', `${part}.ts`));
    return candidates.filter((candidate) => existsSync(candidate)).slice(0, 1);
  });
}
