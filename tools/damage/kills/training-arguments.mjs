import { join } from 'node:path';

/** The command line of a small training run on the data set and the ledger in a folder. */
export function trainingArguments(folder, out) {
  process.env.HUSHREC_LEDGER = join(folder, 'ledger.sqlite');
  return [
    ...['train', join(folder, 'set'), '--method', 'dpals', '--epsilon', '1', '--set', 'rank=4'],
    ...['--threads', '1', '--resume', '--json', '--accept-weak', '--out', out],
  ];
}
