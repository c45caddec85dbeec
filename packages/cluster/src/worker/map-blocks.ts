import { createEngine, type Engine } from '@hushrec/numerics';
import { type CoinKeys, PeopleNames } from '@hushrec/privacy';
import { requireDistinctItems, statisticById } from '@hushrec/statistics';
import { BlockError, blockName, joinBlocks } from '../blocks/block.js';
import { Coverage } from '../blocks/coverage.js';
import { addExactly, encodePart, partsOf } from '../blocks/partial-sums.js';
import type { QuestionFile } from './question-file.js';

/** Bytes of blocks that are summed together: about two million ratings. */
const JOINED_BYTES = 4 * 2 ** 20;

/**
 * Sums a statistic over the blocks of a task: rows of (name, block in base64) in, one row of (key, covered
 * blocks, numbers) out for every piece of every sum. A pure function of blocks and question: whoever repeats
 * it, or does it twice at once, gets the same numbers.
 */
export async function mapBlocks(
  rows: AsyncIterable<readonly string[]>,
  question: QuestionFile,
  write: (...fields: readonly string[]) => Promise<void>,
): Promise<void> {
  const { published, itemCount, scale } = question;
  const statistic = statisticById(question.statistic);
  const shapes = statistic.shapes(published, itemCount);
  const zeros = () =>
    Object.fromEntries(Object.entries(shapes).map(([name, { length }]) => [name, new Float64Array(length)]));
  const totals = zeros();
  const numbers = blockNumbers(question.blocks);
  const covered = new Coverage(numbers.size);
  // Bits of `simd` are the same on every host; those of faster kernels are not.
  const engine = await createEngine({ threads: 1, kernel: 'simd' });
  let waiting: Buffer[] = [];
  let bytes = 0;
  const sumWaiting = async () => {
    if (waiting.length === 0) return;
    await addBlocks(waiting, engine);
    waiting = [];
    bytes = 0;
  };
  const addBlocks = async (blocks: readonly Buffer[], on: Engine) => {
    const { ids, rows: people } = joinBlocks(blocks, scale, itemCount);
    requireDistinctItems(people);
    const into = zeros();
    const names = new PeopleNames(ids.length, ids);
    const coins = (keys: CoinKeys) => names.coins(keys);
    const keep = <T>(_name: string, _of: object, make: () => T): T => make();
    await statistic.add({ rows: people, engine: on, coins, keep }, published, into);
    for (const [name, total] of Object.entries(totals)) addExactly(total, into[name]);
  };
  for await (const [name, encoded] of rows) {
    const number = numbers.get(name);
    const block = Buffer.from(encoded, 'base64');
    if (number === undefined || blockName(block) !== name)
      throw new BlockError(
        'A block of people is not one of those that were prepared. Prepare the data again.',
      );
    covered.add(number);
    waiting.push(block);
    bytes += block.length;
    if (bytes >= JOINED_BYTES) await sumWaiting();
  }
  await sumWaiting();
  await engine.close();
  for (const { key, values } of partsOf(totals)) await write(key, covered.toString(), encodePart(values));
}

function blockNumbers(names: string): Map<string, number> {
  const numbers = new Map<string, number>();
  for (let at = 0; at < names.length; at += 32) numbers.set(names.slice(at, at + 32), at / 32);
  return numbers;
}
