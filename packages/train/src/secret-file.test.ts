import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeptSecretError, paidEntryIn, secretFileOf, secretFor, unreportedFileOf } from './secret-file.js';

let folder: string;
let model: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hushrec-secret-'));
  model = join(folder, 'model');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the kept secret of a run', () => {
  it('is fresh, for its owner alone, and found again by the same job', async () => {
    const first = await secretFor(model, 'job', false);
    expect([first.resumed, first.bytes.length]).toEqual([false, 32]);
    expect((await stat(first.file)).mode & 0o077).toBe(0);
    const again = await secretFor(model, 'job', true);
    expect(again.resumed).toBe(true);
    expect(Buffer.from(again.bytes)).toEqual(Buffer.from(first.bytes));
  });

  it('is wiped where it lies when the model is published; which entry paid stays, and is no secret', async () => {
    const paid = { entry: 'e'.repeat(64), account: 'a'.repeat(32) };
    const secret = await secretFor(model, 'job', false);
    expect(await paidEntryIn(secret.file)).toBeUndefined();
    await secret.notePaid(paid);
    expect(await paidEntryIn(secret.file)).toEqual(paid);
    expect((await stat(secret.file)).mode & 0o077).toBe(0);
    const again = await secretFor(model, 'job', true);
    expect(Buffer.from(again.bytes)).toEqual(Buffer.from(secret.bytes));
    await secret.retire();
    await again.retire(); // somebody else was faster
    expect(await readdir(folder)).toEqual(['model.unreported']);
    const left = await readFile(unreportedFileOf(model));
    expect(left.subarray(0, 64)).toEqual(Buffer.alloc(64));
    expect(await paidEntryIn(unreportedFileOf(model))).toEqual(paid);
  });

  it('is another one for every run that does not resume', async () => {
    const [a, b] = [await secretFor(model, 'job', false), await secretFor(model, 'job', false)];
    expect(Buffer.from(a.bytes)).not.toEqual(Buffer.from(b.bytes));
    expect(await readdir(folder)).toEqual(['model.noise-key']);
  });

  it('is fresh where there is nothing to resume', async () => {
    expect((await secretFor(model, 'job', true)).resumed).toBe(false);
  });

  it.each([
    ['an empty file, as a full disk leaves it', (bytes: Buffer) => bytes.subarray(0, 0)],
    ['a file cut short', (bytes: Buffer) => bytes.subarray(0, 31)],
    ['a secret without its job', (bytes: Buffer) => bytes.subarray(0, 32)],
    ['zeros', (bytes: Buffer) => Buffer.alloc(bytes.length)],
    [
      'a secret of zeros with a job',
      (bytes: Buffer) => Buffer.concat([Buffer.alloc(32), bytes.subarray(32)]),
    ],
    ['a changed bit', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 3 ? byte ^ 1 : byte)))],
  ])('refuses %s', async (_, damage) => {
    await secretFor(model, 'job', false);
    const file = secretFileOf(model);
    await writeFile(file, damage(await readFile(file)));
    await expect(secretFor(model, 'job', true)).rejects.toThrow(KeptSecretError);
  });

  it('refuses the secret of another job: noise for one must never be seen beside another', async () => {
    await secretFor(model, 'job', false);
    await expect(secretFor(model, 'job on other data', true)).rejects.toThrow(/another run/);
  });
});
