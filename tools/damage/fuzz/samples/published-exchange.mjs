// One exchange of a federated run, handed in, published, signed and on the board; and an aggregator that
// holds the same reports and has published nothing.
import {
  Aggregator,
  addUpWords,
  aggregatorRoutes,
  Board,
  boardRoutes,
  entryHash,
  expandSeed,
  MemoryFolder,
  packWords,
  partyCredentials,
  readEntry,
  unpackWords,
} from '@hushrec/federate';
import { sealShare } from '../../../../packages/federate/dist/sealed-share.js';
import { signAs } from '../../../../packages/federate/dist/signatures.js';
import { signedCharter } from './charter.mjs';

const digest = async (bytes) => Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');

export async function publishedExchange() {
  const {
    signed,
    read: readSigned,
    catalogue,
    aggregators: keys,
    sealing,
    coordinator,
    parties,
  } = await signedCharter();
  const { charter, hash } = signed;
  const lines = charter.exchanges[0];
  const words = lines.reduce((sum, { length }) => sum + length, 0);
  const ids = (await Promise.all(['one', 'two'].map((name) => digest(Buffer.from(name))))).sort();
  const nothing = await reportOfNothing(charter, words);
  const proofOf = (at, index) =>
    partyCredentials(`party ${at}`, parties[at], hash)(0, ids[at], index, nothing[index]);
  const proofs = await Promise.all(ids.map((_, at) => proofOf(at, 0)));
  const holding = async (index) => {
    const aggregator = await Aggregator.open(charter, new MemoryFolder(), {
      index,
      key: keys[index],
      secret: new Uint8Array(32),
    });
    for (const [at, id] of ids.entries())
      await aggregator.put(0, id, hash, nothing[index], await proofOf(at, index));
    return aggregator;
  };
  const pair = await Promise.all([0, 1].map(holding));
  const { set } = (await Promise.all(pair.map((each) => each.fold(0, 0, ids))))[0];
  const shares = await Promise.all(pair.map((each) => each.publish(0, set)));
  const sums = packWords(addUpWords(shares, words, charter.wordBytes), charter.wordBytes);
  const header = {
    format: 'hushrec-log-1',
    charter: hash,
    exchange: 0,
    previous: hash,
    set,
    shares: await Promise.all(shares.map(digest)),
    sums: await digest(sums),
  };
  const signatures = await Promise.all(
    keys.map(async (key) => signAs('entry', await entryHash(header), key)),
  );
  const seat = { index: 0, sealing: sealing[0] };
  const sealed = (report) => {
    const place = { charter: hash, exchange: 0, report, head: hash, share: 0 };
    return sealShare(nothing[0], { ...place, recipient: sealing[0].publicKey });
  };
  const board = await Board.open(new MemoryFolder());
  await board.add({ header, signatures }, sums, shares);
  const readValues = async (entry) =>
    (await readEntry(charter, hash, 0, hash, entry, { lines, plan: charter.plan })).values;
  return {
    ...{ signed, charter, hash, catalogue, coordinator, readSigned },
    ...{ ids, proofs, set, header, shares, reports: await Promise.all(ids.map(sealed)) },
    published: aggregatorRoutes(charter, pair[0], seat),
    holding: aggregatorRoutes(charter, await holding(0), seat),
    showBoard: boardRoutes(signed, catalogue, board),
    readValues,
    values: await readValues({ header, signatures, sums }),
  };
}

/** By aggregator: what aggregator 0 gets is minus what the seed of aggregator 1 expands to. */
async function reportOfNothing({ wordBytes }, words) {
  const seed = new Uint8Array(32);
  const masks = unpackWords(await expandSeed(seed, words, wordBytes), wordBytes);
  return [
    packWords(
      masks.map((word) => -word),
      wordBytes,
    ),
    seed,
  ];
}
