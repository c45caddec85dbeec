// A package imports only from those above it in the order of the data. The order is the contract; a package's
// own package.json narrows it further. Tests may also use `testing`.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const order = [
  'numerics',
  'privacy',
  'norm-proof',
  'ratings',
  'model',
  'planner',
  'statistics',
  'cluster',
  'factorize',
  'papers',
  'recommend',
  'ledger',
  'federate',
  'train',
  'evaluate',
  'audit',
  'report',
  'testing',
];
/** What must run in a browser, or hold the guarantee, imports nothing from outside the repository. */
const dependencyFree = new Set([
  'numerics',
  'privacy',
  'norm-proof',
  'model',
  'planner',
  'recommend',
  'report',
]);

/**
 * Methods that read people through sums alone (`needs: 'people'`) live in these folders; what could give them
 * a rating, or declare a statistic of their own, is not for them.
 */
const peopleOnly = [
  'packages/factorize/src/hush',
  ...['dpals', 'dp-cmf', 'am-ssp'].map((paper) => `papers/${paper}/methods`),
];
const readsRatings =
  /^(RatingMatrix|LocalPeople|FilePeople|SparkPeople|PeopleShare|PeopleNames|TrainingInput|openDataset|openPeople|sensitive|revealToMechanism)$/;

/** The door behind which exact sums can be read, and the one package whose recorder needs it. */
const exactSums = { door: '@hushrec/privacy/recorder-parts', user: 'federate' };

/** Names that files of `peopleOnly` import although they could read a rating, as errors. */
export function peopleOnlyErrors(where, source) {
  const names = [...source.matchAll(/(?:^|\n)import (?:type )?\{([^}]*)\} from/g)].flatMap((match) =>
    match[1].split(',').map(
      (name) =>
        name
          .replace(/^\s*type /, '')
          .trim()
          .split(' as ')[0],
    ),
  );
  return names
    .filter((name) => readsRatings.test(name))
    .map((name) => `${where} imports ${name}: its methods read people through sums alone.`);
}

export function importDirectionErrors(root) {
  const errors = [];
  for (const name of order) {
    const folder = name === 'papers' ? join(root, name) : join(root, 'packages', name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const declared = Object.keys({ ...dependencies, ...optionalDependencies });
    for (const file of filesInOrder(name, folder)) {
      const isTest = /\.test(\.data)?\.ts$/.test(file);
      const place = relative(root, file).replaceAll('\\', '/');
      if (!isTest && peopleOnly.some((each) => place.startsWith(`${each}/`)))
        errors.push(...peopleOnlyErrors(place, readFileSync(file, 'utf8')));
      for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
        if (specifier.startsWith('.')) continue;
        const where = relative(root, file);
        const own = /^@hushrec\/([a-z-]+)/.exec(specifier)?.[1];
        if (own !== undefined) {
          if (isTest) continue;
          if (specifier === exactSums.door && name !== exactSums.user)
            errors.push(`${where} imports ${specifier}, which is for ${exactSums.user} alone.`);
          if (name !== 'testing' && order.indexOf(own) >= order.indexOf(name))
            errors.push(`${where} imports ${specifier}, which comes after ${name} in the order of the data.`);
          else if (!declared.includes(`@hushrec/${own}`))
            errors.push(`${where} imports ${specifier}, which its package.json does not declare.`);
        } else if (!isTest && dependencyFree.has(name) && !specifier.startsWith('node:')) {
          errors.push(`${where} imports ${specifier}; ${name} has no dependencies.`);
        }
      }
    }
  }
  for (const folder of ['apps', 'papers'])
    for (const file of sourceFiles(join(root, folder)))
      if (!file.includes('node_modules') && importsOf(readFileSync(file, 'utf8')).includes(exactSums.door))
        errors.push(
          `${relative(root, file)} imports ${exactSums.door}, which is for ${exactSums.user} alone.`,
        );
  return errors;
}

/**
 * The files a package's place in the order speaks of. Of `papers` these are its methods; its experiments come
 * after every package.
 */
function filesInOrder(name, folder) {
  if (name !== 'papers') return sourceFiles(join(folder, 'src'));
  return sourceFiles(folder).filter((file) =>
    /^(methods\.ts|user-level\.ts|register[a-z-]*\.ts|shared\/|[a-z-]+\/methods\/)/.test(
      relative(folder, file).replaceAll('\\', '/'),
    ),
  );
}

function sourceFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function importsOf(source) {
  return [
    ...source.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'";]*?from\s*'([^']+)'|import\(\s*'([^']+)'\s*\)/g),
  ].map((match) => match[1] ?? match[2]);
}
