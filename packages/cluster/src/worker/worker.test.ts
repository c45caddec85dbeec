import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createEngine } from '@hushrec/numerics';
import { generateCatalogue } from '@hushrec/ratings';
import { LocalPeople, peopleCount, SumError, weightedCounts } from '@hushrec/statistics';
import { afterAll, describe, expect, it } from 'vitest';
import { revealToMechanism } from '../../../privacy/src/recorder/sensitive.js';
import { collect } from '../spark-people.js';
import { packPeople } from './pack-people.js';
import { questionFile, readQuestionFile } from './question-file.js';
import { RowWriter, textRows } from './text-rows.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-worker-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const worker = fileURLToPath(new URL('../../dist/bundle/hushrec-worker.mjs', import.meta.url));

const { ratings } = generateCatalogue({ users: 60, items: 30, ratings: 900, seed: 3 });
const { itemCount, scale, byUser } = ratings;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const items = Array.from({ length: itemCount }, (_, item) => base64(`item ${item}`));

async function* rowsOf(rows: readonly (readonly string[])[]) {
  yield* rows.map((row) => [...row]);
}

/** Rows of the data as Spark sends them to be packed: sorted by the text of user and item. */
function sourceRows(): string[][] {
  const rows: string[][] = [];
  for (let user = 0; user < byUser.rowCount; user++)
    for (let at = byUser.offsets[user]; at < byUser.offsets[user + 1]; at++)
      rows.push([base64(`user ${user}`), items[byUser.indices[at]], String(byUser.values[at]), '']);
  return rows.sort((a, b) => (a[0] + a[1] < b[0] + b[1] ? -1 : 1));
}

async function packed(rows: readonly (readonly string[])[], entriesPerBlock = 200) {
  const out: string[][] = [];
  await packPeople(
    rowsOf(rows),
    { scale, items, entriesPerBlock },
    async (...row) => void out.push([...row]),
  );
  return out.map(([name, people, entries, bad, repeated, unclear, block]) => ({
    name,
    block,
    counts: [people, entries, bad, repeated, unclear].map(Number),
  }));
}

/** Runs the bundled worker as executors do. */
function run(args: readonly string[], rows: readonly (readonly string[])[]) {
  const input = rows.map((row) => `${row.join('\t')}\n`).join('');
  const { stdout, stderr, status } = spawnSync(process.execPath, [worker, ...args], {
    input,
    encoding: 'utf8',
  });
  const out = stdout.split('\n').slice(0, -1);
  return { rows: out.map((line) => line.split('\t')), stderr, status };
}

function writeQuestion(statistic: string, blocks: readonly { readonly name: string }[]): string {
  const names = blocks.map(({ name }) => name).sort();
  const { name, bytes } = questionFile({
    statistic,
    published: null,
    itemCount,
    scale,
    blocks: names.join(''),
  });
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
}

describe('workers', () => {
  it('pack, map and reduce to the sums of people in one process, however blocks are dealt out', async () => {
    const blocks = await packed(sourceRows());
    expect(blocks.length).toBeGreaterThan(3);
    const engine = await createEngine({ threads: 1, kernel: 'simd' });
    const expected = revealToMechanism(
      (await new LocalPeople(ratings, engine).sum(weightedCounts, null)).counts.statistic,
    );
    await engine.close();
    const question = writeQuestion(weightedCounts.id, blocks);
    const rows = blocks.map(({ name, block }) => [name, block]);
    const shares = [rows.slice(0, 1), [], rows.slice(1).toReversed()];
    const mapped = shares.map((share) => run(['map', question], share).rows);
    const reduced = run(['reduce', String(blocks.length)], mapped.flat().toReversed()).rows;
    const totals = { counts: new Float64Array(itemCount) };
    collect('test', reduced, totals, blocks.length);
    expect(totals.counts).toEqual(new Float64Array(expected));
    // The same without reducers, added where the sum is asked for.
    const addedHere = { counts: new Float64Array(itemCount) };
    collect('test', mapped.flat(), addedHere, blocks.length);
    expect(addedHere).toEqual(totals);
    // The controls that must fail: a share left out, one that came twice, a block that was changed.
    const missing = run(['reduce', String(blocks.length)], mapped[2]).rows;
    expect(() => collect('test', missing, totals, blocks.length)).toThrow(
      /1 of \d+ blocks of people are missing/,
    );
    const twice = run(['reduce', String(blocks.length)], [...mapped.flat(), ...mapped[0]]);
    expect(twice.rows[0]).toEqual(['!error', 'BlockError', 'A block of people was counted twice.']);
    expect(() => collect('test', twice.rows, totals, blocks.length)).toThrow(SumError);
    const twiceHere = () => collect('test', [...mapped.flat(), ...mapped[0]], totals, blocks.length);
    expect(twiceHere).toThrow(/test.*counted twice/);
    expect(() => collect('test', mapped[2], totals, blocks.length)).toThrow(/1 of \d+ blocks/);
    expect(run(['map', question], [rows[0], rows[0]]).rows[0][0]).toBe('!error');
    const other = [blocks[0].name, blocks[1].block];
    expect(run(['map', question], [other]).rows[0]).toContain('BlockError');
  });

  it('tell pieces that are missing, come twice or have another length', async () => {
    const blocks = await packed(sourceRows());
    const question = writeQuestion(peopleCount.id, blocks);
    const { rows } = run(
      ['map', question],
      blocks.map(({ name, block }) => [name, block]),
    );
    const totals = { count: new Float64Array(1) };
    const tried = (changed: readonly (readonly string[])[]) => () =>
      collect('test', changed, totals, blocks.length);
    expect(tried(rows)).not.toThrow();
    expect(totals.count[0]).toBe(byUser.rowCount * 2 ** 20);
    expect(tried([])).toThrow('did not come');
    expect(tried([...rows, ...rows])).toThrow('counted twice');
    expect(tried([...rows, ['other:0', rows[0][1], rows[0][2]]])).toThrow('nobody asked for');
    expect(tried([[rows[0][0], rows[0][1], 'AAAA']])).toThrow('another length');
    expect(tried([[rows[0][0], '', rows[0][2]]])).toThrow('another number of blocks');
  });

  it('keep the latest of a repeated pair, and count what nothing puts in order', async () => {
    const row = (item: number, rating: string, time: string) => [base64('one'), items[item], rating, time];
    const clear = await packed([row(2, '1.0', '5'), row(2, '4.0', '9'), row(1, '2.0', '')]);
    expect(clear[0].counts).toEqual([1, 2, 0, 1, 0]);
    const unclear = await packed([row(2, '1.0', '5'), row(2, '4.0', '5'), row(3, '2', ''), row(3, '2', '')]);
    expect(unclear[0].counts).toEqual([1, 2, 0, 2, 1]);
  });

  it('count bad rows and show none of them', async () => {
    const bad = [
      ['\\N', items[0], '3', ''],
      [base64('one'), base64('no such item'), '3', ''],
      [base64('one'), items[0], '77.125', ''],
      [base64('one'), items[0], '\\N', ''],
      [base64('one'), items[0], 'canary', ''],
    ];
    const options = join(folder, 'options.json');
    writeFileSync(options, JSON.stringify({ scale, items }));
    const { rows, stderr } = run(['pack', options], bad);
    expect(rows).toEqual([['', '0', '0', '5', '0', '0', '']]);
    expect(stderr).toBe('');
  });

  it('say where they run', () => {
    expect(run(['probe'], [['1']]).rows).toEqual([[process.versions.node, 'simd', '']]);
  });

  it('refuse a question whose bytes are not what its name says', () => {
    const { name, bytes } = questionFile({ statistic: 'x', published: null, itemCount, scale, blocks: '' });
    expect(readQuestionFile(`./some/${name}`, bytes).statistic).toBe('x');
    const changed = Uint8Array.from(bytes);
    changed[changed.length - 1] ^= 1;
    expect(() => readQuestionFile(name, changed)).toThrow('not what its name says');
  });

  it('fail with a word that holds nothing of the data, and read to the end', () => {
    const { status, stderr, rows } = run(['map', join(folder, 'missing.bin')], [['canary', 'canary']]);
    expect(status).toBe(3);
    expect(rows).toEqual([]);
    expect(stderr).toBe('hushrec worker: map failed (Error).\n');
  });
});

describe('workers that nobody needs any more', () => {
  /** The exit code of a child. */
  const ended = (child: ReturnType<typeof spawn>) =>
    new Promise<number | null>((resolve) => {
      child.once('exit', (code) => resolve(code));
    });

  it('end when the executor dies', async () => {
    // A process in the place of the executor starts a worker whose standard input stays open when it is
    // killed.
    const shell = spawn(process.execPath, ['-e', executorProgram], {
      env: { ...process.env, WORKER: worker },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const id = await new Promise<number>((resolve) =>
      shell.stdout.once('data', (text) => resolve(Number(text))),
    );
    expect(isAlive(id)).toBe(true);
    shell.kill('SIGKILL');
    await expect.poll(() => isAlive(id)).toBe(false);
  });

  it('end when nobody reads what they write', async () => {
    const child = spawn(process.execPath, [worker, 'reduce', '1'], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.destroy();
    child.stdin.on('error', () => undefined);
    child.stdin.end('key:0\tAA==\tAA==\n');
    expect(await ended(child)).toBe(4);
  });

  it('end when nothing happens for too long', async () => {
    const watch = fileURLToPath(new URL('../../dist/worker/life-watch.js', import.meta.url));
    const program = `import { watchLife } from '${watch}'; watchLife(() => process.exit(4), 500); setTimeout(() => {}, 60000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    expect(await ended(child)).toBe(4);
  });
});

/** Starts a worker and tells its number. */
const executorProgram =
  'const { pid } = require("child_process").spawn(process.execPath, [process.env.WORKER, "probe"], { stdio: ["inherit", "ignore", "ignore"] }); console.log(pid); setTimeout(() => {}, 60000)';

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

describe('rows of text', () => {
  it('are read however they are cut, and written one after another', async () => {
    const text = Buffer.from('a\tü\n\n\\N\tz');
    for (let cut = 1; cut < text.length; cut++) {
      const rows: string[][] = [];
      for await (const row of textRows(Readable.from([text.subarray(0, cut), text.subarray(cut)])))
        rows.push(row);
      expect(rows).toEqual([['a', 'ü'], [''], ['\\N', 'z']]);
    }
    const written: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        setTimeout(done, 1);
      },
    });
    const writer = new RowWriter(sink);
    await writer.write('a', 'b');
    await writer.write('c');
    expect(written).toEqual(['a\tb\n', 'c\n']);
  });
});
