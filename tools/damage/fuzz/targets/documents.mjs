// Small files (`samples/documents.mjs`): every other case flips one bit, in an order in which as many of
// these cases as there are bits go through all of them whatever the seed; the others are damaged at random.
// What carries a check sum, or is checked against something that does, is refused or unchanged; the others
// (tokens, comparisons, histories, tables) are read as they are or refused by name.
import { mutated } from '../mutate.mjs';
import { documentsIn } from '../samples/documents.mjs';
import { targets } from '../targets.mjs';

const isKnown = (error) =>
  ['data', 'usage', 'privacy'].includes(error.kind) || error.exitCode > 1 || error.name === 'CharterError';
/** A prime above any number of bits here, so that its multiples pass through all of them. */
const stride = 15_485_863;

export async function prepare(folder) {
  const documents = await documentsIn(folder);
  for (const each of documents) each.whole = await each.read();
  const bits = documents.reduce((sum, { bytes }) => sum + 8 * bytes.length, 0);
  const { long } = targets.find(({ name }) => name === 'documents');
  if (long < 2 * bits)
    throw new Error(`${bits} bits: a long run of ${long} cases does not get to all of them`);

  /** A document with one bit flipped: the bits of all documents stand in one row. */
  function flipped(which) {
    let bit = which;
    for (const document of documents) {
      const own = 8 * document.bytes.length;
      if (bit >= own) {
        bit -= own;
        continue;
      }
      const damaged = Buffer.from(document.bytes);
      damaged[bit >> 3] ^= 1 << (bit & 7);
      return { document, damaged, where: `bit ${bit}` };
    }
    throw new RangeError(`There is no bit ${which}.`);
  }
  function atRandom(random) {
    const document = random.pick(documents);
    return { document, damaged: mutated(document.bytes, random), where: 'at random' };
  }
  return {
    attempt: async (random, number) => {
      const { document, damaged, where } =
        number % 2 === 0 ? flipped(((number / 2) * stride) % bits) : atRandom(random);
      const { name, bytes, whole, isChecked, put, read } = document;
      put(damaged);
      try {
        const found = await read();
        if (!isChecked) return 'read, without a check sum of its own';
        return found === whole ? 'unchanged' : `! accepted damage of ${name} (${where})`;
      } catch (error) {
        return isKnown(error) ? 'refused' : `! raw ${error.name}: ${error.message} (${name}, ${where})`;
      } finally {
        put(bytes);
      }
    },
  };
}
