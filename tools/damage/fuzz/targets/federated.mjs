// Messages of federated training: charters, entries of the log, reports, requests of the coordinator.
// What was damaged is refused with a reason, or says what it said before;
// nothing fails through a fault of the program.
import { openRun, remoteLog } from '@hushrec/federate';
import { canonicalJson } from '@hushrec/model/signing';
import {
  joinAttest,
  joinIds,
  requestContent,
} from '../../../../packages/federate/dist/http/aggregator-routes.js';
import { signAs } from '../../../../packages/federate/dist/signatures.js';
import { corpusOf } from '../corpus.mjs';
import { mutated } from '../mutate.mjs';
import { publishedExchange } from '../samples/published-exchange.mjs';

const utf8 = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

export async function prepare() {
  const run = await publishedExchange();
  const corpus = corpusOf('federated');
  return {
    attempt: async (random, number) => {
      const known = corpus[number];
      if (known !== undefined) return kinds[known.name.split('-')[0]](run, random, known.bytes);
      return kinds[random.pick(Object.keys(kinds))](run, random);
    },
  };
}

/** What is damaged, by what it is: each says what came of it, with `!` where that must not be. */
const kinds = {
  async charter({ signed, charter, readSigned }, random, given) {
    const text = given ?? mutated(utf8(signed), random);
    let read;
    try {
      read = JSON.parse(text.toString());
    } catch {
      return 'refused';
    }
    return refusedOr('charter', async () => {
      const charterRead = await readSigned(read);
      return canonicalJson(charterRead) === canonicalJson(charter)
        ? 'unchanged'
        : '! accepted another charter';
    });
  },
  board(run, random) {
    const { signed, charter, catalogue, readSigned } = run;
    return refusedOr('board', async () => {
      const found = await openRun(charter.coordinator.url, damagedLine(run, random));
      await readSigned({ charter: found.charter, hash: found.hash, signatures: signed.signatures });
      return canonicalJson(found.charter) === canonicalJson(charter) &&
        canonicalJson(found.catalogue) === canonicalJson(catalogue)
        ? 'unchanged'
        : '! accepted another charter or catalogue';
    });
  },
  entry(run, random) {
    const { charter, readValues, values: expected } = run;
    return refusedOr('entry', async () => {
      const entry = await remoteLog(charter.coordinator.url, charter.run, damagedLine(run, random)).peek(0);
      if (entry === undefined) return 'refused';
      const values = await readValues(entry);
      return values.every((value, at) => value === expected[at]) ? 'unchanged' : '! accepted other sums';
    });
  },
  async report({ charter, hash, ids, proofs, reports, holding }, random) {
    const at = random.below(2);
    const parts = [ids[at], hash, proofs[at]].map(utf8);
    let content = Buffer.from(reports[at]);
    const which = random.below(4);
    if (which === 3) content = mutated(content, random);
    else parts[which] = mutated(parts[which], random);
    const [id, head, proof] = parts.map((part) => part.toString('latin1'));
    const path = `v1/${charter.run}/${random.chance(0.9) ? '0' : mutated(utf8('0'), random)}/reports/${encodeURIComponent(id)}`;
    const asked = request('PUT', path, content, { 'hushrec-log': head, 'hushrec-admission': proof });
    const status = await answered(holding, asked);
    // Who is in already is told so whatever the bytes; they are not looked at again.
    if (status === 201 || (status === 200 && !ids.includes(id)))
      return `! a damaged report was taken (${status})`;
    return status === 200 ? 'unchanged' : 'refused';
  },
  async request({ charter, coordinator, ids, set, header, shares, published, holding }, random) {
    const [what, path, content, handler] = random.pick([
      ['attest', `v1/${charter.run}/0/attest`, Buffer.from(joinAttest(header, shares)), published],
      ['publish', `v1/${charter.run}/0/publish/${set}`, Buffer.alloc(0), published],
      ['fold', `v1/${charter.run}/0/fold/0`, Buffer.from(joinIds(ids)), holding],
      ['lacking', `v1/${charter.run}/0/lacking`, Buffer.from(joinIds(ids)), holding],
    ]);
    const where =
      what === 'attest' || random.chance(0.5) ? path : mutated(utf8(path), random).toString('latin1');
    const sent = random.chance(0.7) ? mutated(content, random) : content;
    const status = await answered(handler, await signedRequest(coordinator, 'POST', where, sent));
    if (what !== 'lacking' && status === 200 && where === path && !sent.equals(content)) {
      // The header may be written in other ways; the words must be those that it names.
      const isSame = what === 'publish' || (what === 'attest' && saysTheSame(sent, header, shares));
      return isSame ? 'unchanged' : `! ${what}: a damaged request was granted`;
    }
    if (status >= 500) return `! ${what}: ${status}`;
    return status === 200 ? 'unchanged' : 'refused';
  },
};

function saysTheSame(sent, header, shares) {
  const words = Buffer.concat(shares);
  const said = sent.subarray(4, sent.length - words.length).toString();
  return (
    canonicalJson(JSON.parse(said)) === canonicalJson(header) &&
    sent.subarray(sent.length - words.length).equals(words)
  );
}

const ownErrors = ['CharterError', 'LogError', 'RefusedError', 'RunOverError', 'UnreachableError'];

/** What reading came to; an error that is no reason given to a reader is a fault. */
async function refusedOr(what, read) {
  try {
    return await read();
  } catch (error) {
    return ownErrors.includes(error?.name) ? 'refused' : `! ${what}: raw ${error?.name}: ${error?.message}`;
  }
}

const request = (method, path, content, headers = {}) => ({
  method,
  path: path.split('/'),
  query: new URLSearchParams(),
  headers,
  body: new Uint8Array(content),
  signal: new AbortController().signal,
});

/** A request that the coordinator signs as it is: the damage is in what it asks for. */
async function signedRequest(coordinator, method, path, content) {
  const asked = await requestContent(method, `/${path}`, new Uint8Array(content));
  const { value } = await signAs('request', asked, coordinator);
  return request(method, path, content, { 'hushrec-signature': value });
}

async function answered(handler, asked) {
  const answer = await handler(asked).catch((error) => {
    // The server answers these with 400.
    if (error instanceof SyntaxError) return { status: 400 };
    throw error;
  });
  return answer.status;
}

/** A board whose answers are damaged on the way, one in two. */
function damagedLine({ showBoard }, random) {
  return async (url) => {
    const path = new URL(url).pathname.slice(1);
    const { status, body } = await showBoard({
      ...request('GET', path, []),
      query: new URL(url).searchParams,
    });
    const bytes = Buffer.from(body);
    return { status, body: new Uint8Array(random.chance(0.5) ? mutated(bytes, random) : bytes) };
  };
}
