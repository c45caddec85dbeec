import { readFileSync } from 'node:fs';
import { createEngine } from '@hushrec/numerics';
import { BlockError } from '../blocks/block.js';
import { InexactSumError } from '../blocks/partial-sums.js';
import { watchLife } from './life-watch.js';
import { mapBlocks } from './map-blocks.js';
import { type PackOptions, packPeople } from './pack-people.js';
import { readQuestionFile } from './question-file.js';
import { reduceParts } from './reduce-parts.js';
import { type SelectOptions, selectPeople } from './select-people.js';
import { RowWriter, textRows } from './text-rows.js';

/**
 * What runs inside executors: `probe`, `pack <options file>`, `map <question file>`, `reduce <number of
 * blocks>` or `select <options file>`, rows in and out by standard input and output. Standard error, which
 * Spark keeps, never gets a value of the data.
 */
const [mode, argument] = process.argv.slice(2);

function end(why: string): never {
  process.stderr.write(`hushrec worker: ended, because ${why}.\n`);
  process.exit(4);
}

// A closed pipe: nobody wants the rest.
process.stdout.on('error', () => process.exit(4));
const seen = watchLife(end);
const writer = new RowWriter(process.stdout, seen);
const write = (...fields: readonly string[]) => writer.write(...fields);

async function work(): Promise<void> {
  let failed: Error | undefined;
  const rows = textRows(process.stdin, seen);
  // An `!error` that a mapper found goes through the reducers as it is.
  const passing = (async function* () {
    for await (const row of rows) {
      if (row[0] === ERROR) await write(...row);
      else yield row;
    }
  })();
  try {
    if (mode === 'map') await mapBlocks(passing, readQuestionFile(argument, readFileSync(argument)), write);
    else if (mode === 'reduce') await reduceParts(passing, Number(argument), write);
    else if (mode === 'pack') await packPeople(passing, options<PackOptions>(), write);
    else if (mode === 'select') await selectPeople(passing, options<SelectOptions>(), write);
    else if (mode === 'probe') await probe();
    else throw new Error('There is no such work.');
  } catch (error) {
    failed = error as Error;
  }
  if (failed === undefined) return;
  // What would happen again in every repetition is told as a row: a task that fails is tried four times, and
  // its message lost.
  const isLasting =
    failed instanceof BlockError ||
    failed instanceof InexactSumError ||
    ['DuplicateRatingError', 'QuestionFormatError'].includes(failed.name);
  if (!isLasting) {
    process.stderr.write(`hushrec worker: ${mode} failed (${failed.name}).\n`);
    process.exitCode = 3;
  } else await write(ERROR, failed.name, failed.message);
  // A worker that dies while Spark still writes to it shows up as a broken pipe, whatever it said.
  for await (const _ of rows);
}

function options<Options>(): Options {
  return JSON.parse(readFileSync(argument, 'utf8')) as Options;
}

async function probe(): Promise<void> {
  for await (const _ of textRows(process.stdin, seen));
  const simd = await createEngine({ threads: 1, kernel: 'simd' }).then(
    () => 'simd',
    () => 'no simd',
  );
  await write(process.versions.node, simd, '');
}

const ERROR = '!error';

await work();
