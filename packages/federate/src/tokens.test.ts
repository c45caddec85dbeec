import { generateSigningKey, type SigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Aggregator } from './aggregator.js';
import { blindMessage, isBlindSigned, RSA_BYTES, unblind } from './blind-rsa.js';
import { Board } from './board.js';
import { hashHex } from './bytes.js';
import { readCharter, type SignedCharter } from './charter.js';
import { chargedRuns } from './contributor-record.js';
import { coordinateRun } from './coordinate-run.js';
import { MemoryFolder } from './durable-folder.js';
import { dealt } from './equality.test.data.js';
import { wordCount } from './exchange-plan.js';
import { signAsIssuer, TokenOffice, tokenRoutes } from './node/token-office.js';
import { charteredSchedule } from './schedule.js';
import { smallRatings } from './small-charter.test.data.js';
import { takePart } from './take-part.js';
import { charterWithTokens, type WithTokens } from './tokens.test.data.js';

let engine: Engine;
let keys: SigningKey[];
let run: WithTokens;
let signed: SignedCharter;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
  const pace = { kind: 'reports', count: 2, longestSeconds: 600 } as const;
  run = await charterWithTokens(keys, { engine }, { pace });
  signed = run.signed;
});
afterAll(() => engine.close());

const aggregator = (index: number) =>
  Aggregator.open(signed.charter, new MemoryFolder(), {
    index,
    key: keys[index],
    secret: new Uint8Array(32).fill(index + 1),
    tokenKeys: signed.tokens!.tokenKeys,
  });
const bodyOf = (index: number) =>
  new Uint8Array(index === 0 ? wordCount(signed.charter.exchanges[0]) * signed.charter.wordBytes : 32);

describe('blind signatures', () => {
  it('are signatures of RSA-PSS as any other, and what the signer sees tells nothing about the message', async () => {
    const modulus = signed.tokens!.tokenKeys[0];
    const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
    const blinding = { salt: random(48), factor: random(272) };
    const other = { salt: random(48), factor: random(272) };
    const [one, two] = [
      await blindMessage(modulus, 'vote', blinding),
      await blindMessage(modulus, 'vote', other),
    ];
    expect(one).not.toEqual(two);
    const [invitation] = await run.office.invite(1);
    const zeros = new Uint8Array(RSA_BYTES * (signed.tokens!.tokenKeys.length - 1));
    const answer = await run.office.sign(invitation, Uint8Array.of(...one, ...zeros));
    const signature = (await unblind(modulus, 'vote', blinding, answer.slice(0, RSA_BYTES)))!;
    expect(await isBlindSigned(modulus, 'vote', signature)).toBe(true);
    expect(await isBlindSigned(modulus, 'another vote', signature)).toBe(false);
    expect(await isBlindSigned(signed.tokens!.tokenKeys[1], 'vote', signature)).toBe(false);
    expect(await unblind(modulus, 'vote', other, answer.slice(0, RSA_BYTES))).toBeUndefined();
    // For every message there is a factor that makes what the signer saw: it could be about any of them.
    expect(answer.slice(0, RSA_BYTES)).not.toEqual(one);
  });
});

describe('tokens at the aggregators', () => {
  it('admit one report of their own bytes, at each aggregator, in one exchange', async () => {
    const credentials = await run.newTokens();
    const [mine, theirs] = [await hashHex('mine'), await hashHex('theirs')];
    const [zero, one] = [await aggregator(0), await aggregator(1)];
    const put = async (at: Aggregator, index: number, id: string, proof?: string, body = bodyOf(index)) =>
      (await at.put(0, id, signed.hash, body, proof)).status;
    expect(await put(zero, 0, mine)).toBe(403);
    expect(await put(zero, 0, mine, 'nonsense'), 'invented').toBe(403);
    const proof = await credentials(0, mine, 0, bodyOf(0));
    const [publicKey, token, value] = proof.split(' ');
    const other = await run.newTokens();
    const [otherKey] = (await other(0, mine, 0, bodyOf(0))).split(' ');
    expect(await put(zero, 0, mine, `${otherKey} ${token} ${value}`), 'of another key').toBe(403);
    expect(await put(zero, 0, mine, await credentials(1, mine, 0, bodyOf(0))), 'another exchange’s').toBe(
      403,
    );
    // Aggregator 1 is handed its share first. What it sees must not serve at aggregator 0.
    const seen = await credentials(0, mine, 1, bodyOf(1));
    expect(await put(one, 1, mine, seen)).toBe(201);
    expect(await put(zero, 0, mine, seen), 'stolen by the other aggregator').toBe(403);
    expect(await put(zero, 0, theirs, seen)).toBe(403);
    // Nor can whoever carries the right one put other bytes under it.
    expect(await put(zero, 0, mine, proof, bodyOf(0).fill(1)), 'stolen on the way').toBe(403);
    expect(await put(zero, 0, mine, proof)).toBe(201);
    expect(await put(zero, 0, mine, proof), 'replayed').toBe(200);
    expect(await put(zero, 0, theirs, await credentials(0, theirs, 0, bodyOf(0))), 'a second report').toBe(
      403,
    );
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/);
    const later = await credentials(1, mine, 0, bodyOf(0));
    for (const part of proof.split(' ')) expect(later, 'linked over exchanges').not.toContain(part);
  });
});

describe('the office', () => {
  it('signs once for an invitation, the same again, and for no more people than the charter has', async () => {
    const [invitation] = await run.office.invite(1);
    const asked: Uint8Array[] = [];
    const folder = new MemoryFolder();
    const { openTokens } = await import('./tokens.js');
    const lost = {
      sign: async (blinded: Uint8Array): Promise<Uint8Array> => {
        asked.push(blinded);
        await run.office.sign(invitation, blinded);
        throw new Error('the answer was lost');
      },
    };
    await expect(openTokens(signed, folder, lost)).rejects.toThrow('lost');
    await openTokens(signed, folder, {
      sign: (blinded) => {
        asked.push(blinded);
        return run.office.sign(invitation, blinded);
      },
    });
    expect(asked[1], 'the same tokens are asked for').toEqual(asked[0]);
    await openTokens(signed, folder, undefined);
    const elsewhere = { sign: (blinded: Uint8Array) => run.office.sign(invitation, blinded) };
    await expect(openTokens(signed, new MemoryFolder(), elsewhere)).rejects.toThrow('was used before');
    const stranger = { sign: (blinded: Uint8Array) => run.office.sign('00', blinded) };
    await expect(openTokens(signed, new MemoryFolder(), stranger)).rejects.toThrow('not an invitation');
    await expect(run.office.sign(invitation, new Uint8Array(3))).rejects.toMatchObject({ status: 400 });
    await expect(run.office.invite(signed.charter.mostPeople)).rejects.toThrow('people, and');
    const liar = { sign: async (blinded: Uint8Array) => blinded };
    await expect(openTokens(signed, new MemoryFolder(), liar)).rejects.toThrow('no token of its keys');
  });

  it('has a key of its own for each exchange, which the charter’s readers check', async () => {
    const trusted = [keys[0].publicKey];
    await readCharter(signed, trusted);
    const { tokens, ...unsigned } = signed;
    await expect(readCharter(unsigned, trusted)).rejects.toThrow('issuer issuer has not signed');
    const { tokenKeys } = tokens!;
    const one = tokenKeys.map(() => tokenKeys[0]);
    const { signTokenKeys } = await import('./charter.js');
    await expect(readCharter(await signTokenKeys(signed, keys[3], one), trusted)).rejects.toThrow('its own');
    await expect(signTokenKeys(signed, keys[2], tokenKeys)).rejects.toThrow('another issuer');
    const forged = { ...tokens!, tokenKeys: tokenKeys.toReversed() };
    await expect(readCharter({ ...signed, tokens: forged }, trusted)).rejects.toThrow('is not issuer’s');
    const again = await charterWithTokens(keys, { engine });
    await expect(TokenOffice.open(again.signed, new MemoryFolder())).rejects.toThrow('not in this folder');
    await expect(signAsIssuer(signed, keys[0], new MemoryFolder())).rejects.toThrow('another issuer');
  });

  it('answers over a line', async () => {
    const routes = tokenRoutes(signed.charter, run.office);
    const ask = (path: string[], method = 'POST') =>
      routes({
        ...{ method, path, query: new URLSearchParams(), headers: { 'hushrec-invitation': 'none' } },
        ...{ body: new Uint8Array(), signal: new AbortController().signal },
      });
    expect((await ask(['v1', signed.charter.run, 'tokens'])).status).toBe(403);
    expect((await ask(['v1', 'another', 'tokens'])).status).toBe(404);
    expect((await ask(['v1', signed.charter.run, 'tokens'], 'GET')).status).toBe(404);
  });
});

describe('a participant of a run with tokens', () => {
  const policy = () => ({ trusted: [keys[0].publicKey], mostEpsilon: 100, kept: 'many-people' as const });

  it('has its tokens before it is charged: without them it pays nothing', async () => {
    const board = await Board.open(new MemoryFolder());
    for (const issuer of [
      undefined,
      { sign: (blinded: Uint8Array) => run.office.sign('no invitation', blinded) },
    ]) {
      const folder = new MemoryFolder();
      const meeting = { aggregators: [await aggregator(0), await aggregator(1)], log: board };
      const taking = takePart(
        ...([signed, dealt(smallRatings, 2)[0], { engine }, policy()] as const),
        { ...meeting, ...(issuer && { issuer }) },
        { folder },
      );
      await expect(taking).rejects.toThrow(/invitation/);
      expect(await chargedRuns(folder)).toEqual([]);
    }
  });

  it('takes part to the end, and is counted once however often it is started again', async () => {
    const { charter } = signed;
    const aggregators = [await aggregator(0), await aggregator(1)];
    const board = await Board.open(new MemoryFolder());
    const invitations = await run.office.invite(2);
    const folders = invitations.map(() => new MemoryFolder());
    const takeOne = (own: typeof smallRatings, at: number, signal?: AbortSignal) =>
      takePart(
        ...([signed, own, { engine }, policy()] as const),
        { aggregators, log: board, issuer: { sign: (blinded) => run.office.sign(invitations[at], blinded) } },
        { folder: folders[at], checked: true, ...(signal && { signal }) },
      );
    const stop = new AbortController();
    const first = takeOne(dealt(smallRatings, 2)[0], 0, stop.signal);
    first.catch(() => undefined);
    while ((await aggregators[0].held(0, 10, 0)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    stop.abort();
    await expect(first).rejects.toThrow();
    const taking = dealt(smallRatings, 2).map((own, at) => takeOne(own, at));
    await Promise.all([
      coordinateRun(charter, aggregators, board, charteredSchedule(charter), { pollMilliseconds: 1 }),
      ...taking,
    ]);
    for (const { handedIn } of await Promise.all(taking)) expect(handedIn).toBe(charter.exchanges.length);
    expect(await chargedRuns(folders[0])).toHaveLength(1);
  });
});
