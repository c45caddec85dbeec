import '@hushrec/papers/register';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Catalogue,
  catalogueHash,
  charterHash,
  type SignedCharter,
  type SimulatedRun,
  shareOut,
  signCard,
  signCharter,
  simulateRun,
} from '@hushrec/federate';
import type { CertificateStatement } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import { generateSigningKey } from '@hushrec/model/signing';
import { createEngine, type Engine } from '@hushrec/numerics';
import { smallRatings } from '@hushrec/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndedRun, publishFederated } from './publish-federated.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-federated-'));
const out = join(folder, 'model');
const ratings = smallRatings(12, 6, 4);
const catalogue: Catalogue = {
  format: 'hushrec-catalogue-1',
  scale: ratings.scale,
  itemIds: ['a', 'b', 'c', 'd', 'e', 'f'],
};
/** Nobody hands in anything to the charters that are made here. */
const sealingKey = '0'.repeat(64);
let engine: Engine;
let run: SimulatedRun;
let ended: EndedRun;
beforeAll(async () => {
  engine = await createEngine({ kernel: 'simd', threads: 1 });
  run = await simulateRun(
    {
      method: 'dpals',
      settings: { rounds: 1, rank: 2 },
      epsilon: 10,
      delta: 1e-5,
      shares: shareOut(ratings, 'item', 3, Math.random).map((share) => share.ratings),
      catalogueHash: await catalogueHash(catalogue),
      aggregatorCount: 2,
      kept: 'many-people',
      noise: { by: 'aggregators', honestNeeded: 1 },
      codeVersion: 'test',
    },
    { engine },
  );
  ended = { signed: run.signed, log: run.board, catalogue, engine, codeVersion: 'test' };
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const publish = (change: Partial<EndedRun> = {}) =>
  publishFederated({ ...ended, ...change }, { out, overwrite: true });
const refused = async (change: Partial<EndedRun>, reason: RegExp) => {
  await expect(publish(change)).rejects.toThrow(reason);
  expect(existsSync(out), 'nothing was written').toBe(false);
};

describe('publishing a federated model', () => {
  it('refuses a charter that not all aggregators have signed', () =>
    refused({ signed: { ...run.signed, signatures: run.signed.signatures.slice(1) } }, /has not signed/));

  it('refuses a charter of one’s own making for somebody else’s log', async () => {
    const key = await generateSigningKey();
    const charter = {
      ...run.signed.charter,
      aggregators: [await signCard({ name: 'me', url: '' }, key)],
    };
    const unsigned: SignedCharter = { charter, hash: await charterHash(charter), signatures: [] };
    await refused(
      { signed: await signCharter(unsigned, key, sealingKey) },
      /another run|has not signed|the entry/,
    );
  });

  it('refuses less noise than the method plans, also when everybody signs it', async () => {
    const keys = [await generateSigningKey(), await generateSigningKey()];
    const { plan } = run.signed.charter;
    const charter = {
      ...run.signed.charter,
      aggregators: await Promise.all(keys.map((key, at) => signCard({ name: String(at), url: '' }, key))),
      plan: { ...plan, releases: plan.releases.map((line) => ({ ...line, noise: line.noise / 2 })) },
    };
    let signed: SignedCharter = { charter, hash: await charterHash(charter), signatures: [] };
    for (const key of keys) signed = await signCharter(signed, key, sealingKey);
    await refused({ signed }, /not what its method plans/);
  });

  it('refuses a log that is cut off or whose sums were touched, and another catalogue', async () => {
    const { board } = run;
    const last = board.length - 1;
    const share = (exchange: number, at: number) => board.share(exchange, at);
    await refused(
      {
        log: {
          share,
          peek: async (exchange) => (exchange < last ? board.peek(exchange) : undefined),
          entry: async (exchange) =>
            exchange < last ? (await board.peek(exchange))! : { over: 'it broke off.', exchange },
        },
      },
      /run ended at exchange/,
    );
    const touched = async (exchange: number) => {
      const entry = await board.peek(exchange);
      if (entry === undefined || exchange !== 0) return entry;
      const sums = entry.sums.slice();
      sums[0] ^= 1;
      return { ...entry, sums };
    };
    await refused(
      { log: { share, peek: touched, entry: async (exchange) => (await touched(exchange))! } },
      /not those that were signed/,
    );
    await refused({ catalogue: { ...catalogue, itemIds: ['x', 'b', 'c', 'd', 'e', 'f'] } }, /the catalogue/);
  });

  it('writes the model that the log gives; of a simulation it says so', async () => {
    const { model, certificate } = await publish();
    expect(model).toEqual(run.replayed.model);
    const statement: CertificateStatement = certificate;
    expect(statement).toMatchObject({ simulation: true, account: run.signed.hash, ledgerEntry: null });
    expect(readFileSync(join(out, 'CERTIFICATE.md'), 'utf8')).toMatch(/simulation/i);
    expect((await readModelFolder(out)).certificate.hash).toBe(certificate.hash);
  });
});
