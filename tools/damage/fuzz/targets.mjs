/**
 * What is tried, how many cases in a short and in a long run, how many inputs one case holds, and how much
 * memory a process may hold. Inputs are a few kilobytes: the bounds are those of the runtime with its native
 * libraries, not of any input.
 */
export const targets = [
  {
    name: 'import',
    what: 'files of ratings in every format, each by both readers',
    short: 40,
    long: 100_000,
    memoryBytes: 700e6,
  },
  {
    name: 'datasets',
    what: 'dataset folders with one damaged file',
    short: 40,
    long: 20_000,
    memoryBytes: 600e6,
  },
  {
    name: 'models',
    what: 'model folders, as they lie there and sealed again after the damage',
    short: 400,
    long: 50_000,
    memoryBytes: 500e6,
  },
  {
    name: 'http',
    what: 'malformed requests',
    short: 1,
    long: 500,
    inputsPerCase: 100,
    memoryBytes: 700e6,
  },
  {
    name: 'ledger',
    what: 'damaged ledger files, each read as a whole and asked for a decision',
    short: 1,
    long: 200,
    inputsPerCase: 50,
    memoryBytes: 500e6,
  },
  {
    name: 'commands',
    what: 'command lines with wrong arguments, files, folders and settings',
    short: 40,
    long: 10_000,
    memoryBytes: 900e6,
  },
  {
    name: 'federated',
    what: 'messages of federated training',
    short: 300,
    long: 20_000,
    memoryBytes: 500e6,
  },
  {
    name: 'documents',
    what: 'certificates, models, data sets, charters, marks, secrets, metrics, logs, tokens, tables: each bit, and at random',
    short: 400,
    long: 200_000,
    memoryBytes: 500e6,
  },
  {
    name: 'state',
    what: 'damaged lists of training runs',
    short: 100,
    long: 10_000,
    memoryBytes: 500e6,
  },
];

/** How many inputs one case of a target holds. */
export function inputsOf(name) {
  return targets.find((target) => target.name === name)?.inputsPerCase ?? 1;
}
