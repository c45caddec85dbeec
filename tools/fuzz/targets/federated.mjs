// Messages of federated training: charters, entries of the log, reports, requests of the coordinator,
// messages between dpimf's parties. What was damaged is refused with a reason, or says what it said before;
// nothing fails through a fault of the program.
import {
  Aggregator,
  aggregatorRoutes,
  Board,
  boardRoutes,
  connectOver,
  entryHash,
  MemoryFolder,
  openRun,
  Party,
  partyCredentials,
  partyRoutes,
  readEntry,
  remoteLog,
} from '@hushrec/federate';
import { canonicalJson } from '@hushrec/model';
import { addUpWords, expandSeed, packWords, unpackWords } from '@hushrec/privacy';
import { joinIds, requestContent } from '../../../packages/federate/dist/http/aggregator-routes.js';
import { signAs } from '../../../packages/federate/dist/signatures.js';
import { corpusOf } from '../corpus.mjs';
import { mutated } from '../mutate.mjs';
import { signedCharter } from '../samples/charter.mjs';

const utf8 = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const digest = async (bytes) => Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
const scale = { min: 1, max: 5, step: 1 };

export async function prepare() {
  const {
    signed,
    read: readSigned,
    catalogue,
    aggregators: keys,
    coordinator,
    parties,
  } = await signedCharter();
  const { charter, hash } = signed;
  const lines = charter.exchanges[0];
  const words = lines.reduce((sum, { length }) => sum + length, 0);
  const open = (index) =>
    Aggregator.open(charter, new MemoryFolder(), { index, key: keys[index], secret: new Uint8Array(32) });
  const ids = (await Promise.all(['one', 'two'].map((name) => digest(utf8(name))))).sort();
  // Reports of nothing: what aggregator 0 gets is minus what the seed of aggregator 1 expands to.
  const masks = unpackWords(
    await expandSeed(new Uint8Array(32), words, charter.wordBytes),
    charter.wordBytes,
  );
  const nothing = packWords(
    masks.map((word) => -word),
    charter.wordBytes,
  );
  const body = (index) => (index === 0 ? nothing : new Uint8Array(32));
  const proofs = await Promise.all(
    ids.map((id, at) => partyCredentials(`party ${at}`, parties[at], hash, 0, id)),
  );
  const handIn = async (aggregator, index) => {
    for (const [at, id] of ids.entries()) await aggregator.put(0, id, hash, body(index), proofs[at]);
    return aggregator;
  };
  // One pair is published and signed, one aggregator holds reports.
  const pair = await Promise.all([0, 1].map(async (index) => handIn(await open(index), index)));
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
  const board = await Board.open(new MemoryFolder());
  await board.add({ header, signatures }, sums, shares);
  const routes = {
    published: aggregatorRoutes(charter, pair[0]),
    holding: aggregatorRoutes(charter, await handIn(await open(0), 0)),
  };
  const showBoard = boardRoutes(signed, catalogue, board);
  const expected = (
    await readEntry(charter, hash, 0, hash, { header, signatures, sums }, { lines, plan: charter.plan })
  ).values;

  const request = (method, path, content, headers = {}) => ({
    method,
    path: path.split('/'),
    query: new URLSearchParams(),
    headers,
    body: new Uint8Array(content),
    signal: new AbortController().signal,
  });
  /** A request that the coordinator signs as it is: the damage is in what it asks for. */
  const asCoordinator = async (method, path, content) => {
    const value = (
      await signAs('request', await requestContent(method, `/${path}`, new Uint8Array(content)), coordinator)
    ).value;
    return request(method, path, content, { 'hushrec-signature': value });
  };
  const answered = async (handler, asked) => {
    const answer = await handler(asked).catch((error) => {
      // The server answers these with 400.
      if (error instanceof SyntaxError) return { status: 400 };
      throw error;
    });
    return answer.status;
  };
  /** A board whose answers are damaged on the way, one in two. */
  const damagedLine = (random) => async (url) => {
    const path = new URL(url).pathname.slice(1);
    const { status, body: plain } = await showBoard({
      ...request('GET', path, []),
      query: new URL(url).searchParams,
    });
    const bytes = Buffer.from(plain);
    return { status, body: new Uint8Array(random.chance(0.5) ? mutated(bytes, random) : bytes) };
  };
  const known = (error) =>
    ['CharterError', 'LogError', 'RefusedError', 'RunOverError', 'UnreachableError'].includes(error?.name);

  const invitation = {
    kind: 'invitation',
    session: 's',
    shared: 'item',
    rows: 4,
    rounds: 1,
    localRounds: 1,
    epsilon: 2,
    settings: { rank: 2 },
    contribution: 'sums',
  };
  const ratings = {
    userCount: 2,
    itemCount: 4,
    scale,
    byUser: {
      rowCount: 2,
      columnCount: 4,
      offsets: Uint32Array.of(0, 2, 3),
      indices: Uint32Array.of(0, 2, 3),
      values: Float32Array.of(1, 1, 1),
    },
  };
  const asked = [
    invitation,
    { kind: 'round', session: 's', round: 0, profiles: new Float64Array(8).fill(0.1) },
    { kind: 'finish', session: 's', profiles: new Float64Array(8).fill(0.1) },
  ];
  const messages = [];
  const line = connectOver('p', 'http://party.example', async (_, { body: sent }) => {
    messages.push(Buffer.from(sent));
    return { status: 500, body: new Uint8Array() };
  });
  for (const message of asked) await line.request(message).catch(() => undefined);
  const corpus = corpusOf('federated');

  const kinds = {
    async charter(random, given) {
      const text = given ?? mutated(utf8(signed), random);
      let read;
      try {
        read = JSON.parse(text.toString());
      } catch {
        return 'refused';
      }
      try {
        const charterRead = await readSigned(read);
        return canonicalJson(charterRead) === canonicalJson(charter)
          ? 'unchanged'
          : '! accepted another charter';
      } catch (error) {
        return known(error) ? 'refused' : `! charter: raw ${error?.name}: ${error?.message}`;
      }
    },
    async board(random) {
      try {
        const run = await openRun(charter.coordinator.url, damagedLine(random));
        await readSigned({ charter: run.charter, hash: run.hash, signatures: signed.signatures });
        return canonicalJson(run.charter) === canonicalJson(charter) &&
          canonicalJson(run.catalogue) === canonicalJson(catalogue)
          ? 'unchanged'
          : '! accepted another charter or catalogue';
      } catch (error) {
        return known(error) ? 'refused' : `! board: raw ${error?.name}: ${error?.message}`;
      }
    },
    async entry(random) {
      try {
        const entry = await remoteLog(charter.coordinator.url, charter.run, damagedLine(random)).peek(0);
        if (entry === undefined) return 'refused';
        const { values } = await readEntry(charter, hash, 0, hash, entry, { lines, plan: charter.plan });
        return values.every((value, at) => value === expected[at]) ? 'unchanged' : '! accepted other sums';
      } catch (error) {
        return known(error) ? 'refused' : `! entry: raw ${error?.name}: ${error?.message}`;
      }
    },
    async report(random) {
      const at = random.below(2);
      const parts = [ids[at], hash, proofs[at]].map(utf8);
      let content = Buffer.from(body(0));
      const which = random.below(4);
      if (which === 3) content = mutated(content, random);
      else parts[which] = mutated(parts[which], random);
      const [id, head, proof] = parts.map((part) => part.toString('latin1'));
      const path = `v1/${charter.run}/${random.chance(0.9) ? '0' : mutated(utf8('0'), random)}/reports/${encodeURIComponent(id)}`;
      const asked = request('PUT', path, content, { 'hushrec-log': head, 'hushrec-admission': proof });
      const status = await answered(routes.holding, asked);
      // Who is in already is told so whatever the bytes; they are not looked at again.
      if (status === 201 || (status === 200 && !ids.includes(id)))
        return `! a damaged report was taken (${status})`;
      return status === 200 ? 'unchanged' : 'refused';
    },
    async request(random) {
      const [what, path, content, handler] = random.pick([
        ['attest', `v1/${charter.run}/0/attest`, utf8(header), routes.published],
        ['publish', `v1/${charter.run}/0/publish/${set}`, Buffer.alloc(0), routes.published],
        ['fold', `v1/${charter.run}/0/fold/0`, Buffer.from(joinIds(ids)), routes.holding],
        ['lacking', `v1/${charter.run}/0/lacking`, Buffer.from(joinIds(ids)), routes.holding],
      ]);
      const where =
        what === 'attest' || random.chance(0.5) ? path : mutated(utf8(path), random).toString('latin1');
      const sent = random.chance(0.7) ? mutated(content, random) : content;
      const status = await answered(handler, await asCoordinator('POST', where, sent));
      if (what !== 'lacking' && status === 200 && where === path && !sent.equals(content)) {
        // An aggregator answers for what it published itself; the words of others and the sum are for readers
        // of the log to check.
        const own = ({ sums: _sums, shares: [first], ...rest }) => canonicalJson([first, rest]);
        const isSame = what === 'publish' || (what === 'attest' && own(JSON.parse(sent)) === own(header));
        return isSame ? 'unchanged' : `! ${what}: a damaged request was granted`;
      }
      if (status >= 500) return `! ${what}: ${status}`;
      return status === 200 ? 'unchanged' : 'refused';
    },
    async party(random) {
      const party = new Party('p', ratings, { mostEpsilon: 3 }, { seed: 1 });
      const handler = partyRoutes(party);
      const damagedAt = random.below(messages.length);
      for (const [at, message] of messages.entries()) {
        const content = at === damagedAt ? mutated(message, random) : message;
        const status = await answered(handler, request('POST', 'v1/own-noise', content));
        if (status !== 200 && status !== 400) return `! party: ${status}`;
      }
      return 'answered';
    },
  };
  return {
    attempt: async (random, number) => {
      const known = corpus[number];
      if (known !== undefined) return kinds[known.name.split('-')[0]](random, known.bytes);
      return kinds[random.pick(Object.keys(kinds))](random);
    },
  };
}
