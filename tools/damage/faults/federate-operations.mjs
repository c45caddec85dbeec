// What the roles of federated runs write: identities, charters and their signatures, the record of who takes
// part, reports, the board.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Board, chargedRuns, chargeRun, openRecord, readCharter } from '@hushrec/federate';
import { FileFolder } from '@hushrec/federate/node';
import { readCharterFile, readIdentity } from '../../../apps/cli/dist/commands/federate-role.js';
import { ReportBook } from '../../../packages/federate/dist/report-book.js';
import { hushrec } from './hushrec-command.mjs';

const report = (k) => ({ id: String(k).repeat(64), body: Buffer.alloc(700, k) });

const identity = (root, name) =>
  hushrec(root, 'federate', 'identity', join(root, name), '--name', name, '--url', `https://${name}.example`);
const card = (root, name) => join(root, name, 'identity.json');
const charter = (root) => join(root, 'run', 'charter.json');
const drafting = (root) => hushrec(root, 'federate', 'charter', join(root, 'run'), join(root, 'run.json'));
const signing = (root, name) =>
  hushrec(root, 'federate', 'sign', charter(root), '--identity', join(root, name));
async function twoIdentities(root) {
  writeFileSync(join(root, 'items.csv'), 'item,title\na,A\nb,B\nc,C\n');
  for (const name of ['board', 'north']) await identity(root, name);
  const cards = [card(root, 'board'), card(root, 'north')];
  const request = {
    ...{ catalogue: 'items.csv', scale: '1:5:1', epsilon: 5, people: 10 },
    ...{ method: 'dpals', settings: { rank: 2, rounds: 1 } },
    ...{ coordinator: cards[0], aggregators: cards, parties: cards },
  };
  writeFileSync(join(root, 'run.json'), JSON.stringify(request));
}
/** Who has signed a charter, all of it as it was written. */
async function signersOf(root) {
  const { signed } = await readCharterFile(charter(root));
  return signed.signatures.map(({ publicKey }) => publicKey);
}

const charge = { charter: 'c'.repeat(64), epsilon: 1, delta: 1e-6, at: '2026-01-01T00:00:00.000Z' };
const owner = (root) => new FileFolder(join(root, 'taking-part'));

export const federateOperations = [
  {
    name: 'federate identity',
    prepare: async () => {},
    run: (root) => identity(root, 'north'),
    async check(root, { isDone }) {
      if (isDone) assert.ok(existsSync(card(root, 'north')), 'it said that it was made');
      if (!existsSync(card(root, 'north'))) return;
      const { secret, office } = await readIdentity(join(root, 'north'));
      assert.equal(secret.length, 32);
      assert.equal(office.name, 'north');
    },
    async again(root) {
      // What was left of keys that nobody has heard of is not replaced: another folder, as the message says.
      const made = await identity(root, 'north').catch((error) => {
        assert.match(error.message, /is there already. Choose another folder/);
        return identity(root, 'north-2');
      });
      assert.ok(made);
    },
  },
  {
    name: 'federate charter',
    prepare: twoIdentities,
    run: drafting,
    async check(root, { isDone }) {
      if (isDone) assert.ok(existsSync(charter(root)), 'it said that it was written');
      if (existsSync(charter(root))) assert.deepEqual(await signersOf(root), []);
    },
    async again(root) {
      if (!existsSync(charter(root))) await drafting(root);
      await signing(root, 'board');
    },
  },
  {
    name: 'federate sign',
    async prepare(root) {
      await twoIdentities(root);
      await drafting(root);
      await signing(root, 'board');
    },
    run: (root) => signing(root, 'north'),
    async check(root, { isDone }) {
      const signers = await signersOf(root);
      assert.ok(isDone ? signers.length === 2 : [1, 2].includes(signers.length), `${signers.length} signed`);
    },
    async again(root) {
      await signing(root, 'north');
      const { signed } = await readCharterFile(charter(root));
      await readCharter(signed, await signersOf(root));
    },
  },
  {
    name: 'record of who takes part',
    async prepare(root) {
      await chargeRun(owner(root), { ...charge, charter: 'b'.repeat(64) }, 5);
    },
    async run(root, told) {
      await openRecord(owner(root), charge.charter, 'ratings', new Uint8Array(32).fill(7));
      told.push('record');
      await chargeRun(owner(root), charge, 5);
      told.push('charge');
    },
    async check(root, { told }) {
      const charged = await chargedRuns(owner(root));
      assert.equal(charged[0]?.charter, 'b'.repeat(64), 'what was charged before is gone');
      if (told.includes('charge')) assert.equal(charged.length, 2, 'a charge is lost');
      if (!told.includes('record')) return;
      const { root: secret } = await openRecord(owner(root), charge.charter, 'ratings', new Uint8Array(32));
      assert.deepEqual([...secret], Array(32).fill(7), 'another secret');
    },
    async again(root) {
      await openRecord(owner(root), charge.charter, 'ratings', new Uint8Array(32));
      await chargeRun(owner(root), charge, 5);
      assert.equal((await chargedRuns(owner(root))).length, 2);
    },
  },
  {
    name: 'reports of an aggregator',
    prepare: async () => {},
    async run(root, told) {
      const book = await ReportBook.open(new FileFolder(join(root, 'run', 'exchange-0')), {
        perSegment: 2,
        most: 100,
        folded: [],
      });
      for (let k = 1; k <= 4; k++) {
        const { id, body } = report(k);
        // Whoever hands in and is not heard tries again, as devices do.
        await book.put(id, `party ${k}`, body).catch(() => book.put(id, `party ${k}`, body));
        told.push(k);
      }
    },
    async check(root, { told }) {
      const book = await ReportBook.open(new FileFolder(join(root, 'run', 'exchange-0')), {
        perSegment: 2,
        most: 100,
        folded: [],
      });
      for (const k of told) {
        assert.ok(book.has(report(k).id), `report ${k} is lost`);
        assert.deepEqual(Buffer.from(await book.read(report(k).id)), report(k).body);
      }
    },
    async again(root) {
      const book = await ReportBook.open(new FileFolder(join(root, 'run', 'exchange-0')), {
        perSegment: 2,
        most: 100,
        folded: [],
      });
      const { id, body } = report(5);
      assert.equal(await book.put(id, 'party 5', body), 'new');
      assert.equal((await book.put(report(1).id, 'party 1', report(1).body)) === 'other-bytes', false);
    },
  },
  {
    name: 'board of a federated run',
    prepare: async () => {},
    async run(root, told) {
      const board = await Board.open(new FileFolder(join(root, 'board')));
      for (let k = 0; k < 2; k++) {
        await board.add({ header: { exchange: k } }, new Uint8Array(300).fill(k), [
          new Uint8Array(9).fill(k),
        ]);
        told.push(k);
      }
      await board.close({ why: 'over' });
      told.push('over');
    },
    async check(root, { told }) {
      const board = await Board.open(new FileFolder(join(root, 'board')));
      const entries = told.filter((each) => each !== 'over').length;
      assert.ok(board.length >= entries, 'an entry is lost');
      for (let k = 0; k < board.length; k++) {
        const { header, sums } = await board.peek(k);
        assert.equal(header.exchange, k);
        assert.deepEqual(Buffer.from(sums), Buffer.alloc(300, k), 'sums of an entry');
        assert.deepEqual(Buffer.from(await board.share(k, 0)), Buffer.alloc(9, k), 'shares of an entry');
      }
      if (told.includes('over')) assert.deepEqual(board.end, { why: 'over' });
    },
    async again(root) {
      const board = await Board.open(new FileFolder(join(root, 'board')));
      if (board.end !== undefined) return;
      const exchange = board.length;
      await board.add({ header: { exchange } }, new Uint8Array(300).fill(exchange), [
        new Uint8Array(9).fill(exchange),
      ]);
      assert.equal((await board.peek(exchange)).header.exchange, exchange);
    },
  },
];
