import { expect, it } from 'vitest';
import { Board } from './board.js';
import { chargedRuns, chargeRun, openRecord } from './contributor-record.js';
import { MemoryFolder } from './durable-folder.js';
import { DamagedRecordError, readSealedBytes, writeSealedBytes } from './sealed-record.js';

const charge = { charter: 'c'.repeat(64), epsilon: 1, delta: 1e-6, at: '2026-01-01T00:00:00.000Z' };

it('never takes a flipped bit for what was charged, nor for the secret of a run', async () => {
  const folder = new MemoryFolder();
  await chargeRun(folder, charge, 2);
  await openRecord(folder, charge.charter, 'ratings', new Uint8Array(32).fill(7));
  const written = JSON.stringify(await chargedRuns(folder));
  const tries = {
    'charged-000000.json': async () => expect(JSON.stringify(await chargedRuns(folder))).toBe(written),
    [`run-${charge.charter}.json`]: async () =>
      expect((await openRecord(folder, charge.charter, 'ratings')).root).toEqual(new Uint8Array(32).fill(7)),
  };
  for (const [name, read] of Object.entries(tries)) {
    const whole = (await folder.read(name))!;
    let refused = 0;
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const damaged = Uint8Array.from(whole);
      damaged[bit >> 3] ^= 1 << (bit & 7);
      await folder.write(name, damaged);
      await read().catch((error) => {
        expect(error).toBeInstanceOf(DamagedRecordError);
        refused++;
      });
    }
    // The rest are letters whose bit makes the same letter, of which there are none here.
    expect(refused).toBe(8 * whole.length);
    await folder.write(name, whole);
  }
});

it('never takes a flipped bit, or a file that was cut, for the sums that an aggregator wrote', async () => {
  const folder = new MemoryFolder();
  await writeSealedBytes(folder, 'fold', [Uint8Array.of(1, 2), Uint8Array.of(3)]);
  expect(await readSealedBytes(folder, 'fold')).toEqual(Uint8Array.of(1, 2, 3));
  const whole = (await folder.read('fold'))!;
  for (let bit = 0; bit < 8 * whole.length; bit++) {
    const damaged = Uint8Array.from(whole);
    damaged[bit >> 3] ^= 1 << (bit & 7);
    await folder.write('fold', damaged);
    await expect(readSealedBytes(folder, 'fold')).rejects.toThrow(DamagedRecordError);
  }
  for (let length = 0; length < whole.length; length++) {
    await folder.write('fold', whole.subarray(0, length));
    await expect(readSealedBytes(folder, 'fold')).rejects.toThrow(DamagedRecordError);
  }
  expect(await readSealedBytes(folder, 'nothing')).toBeUndefined();
});

it('names the file of a board that is damaged or gone', async () => {
  const folder = new MemoryFolder();
  const entry = { header: { exchange: 0 } } as unknown as Parameters<Board['add']>[0];
  await (await Board.open(folder)).add(entry, new Uint8Array(3), []);
  await folder.write('over.json', Uint8Array.of(0x7b));
  await expect(Board.open(folder)).rejects.toThrow('over.json in the folder of this run is damaged');
  await folder.remove('over.json');
  await folder.write('entry-0.json', Uint8Array.of(0x7b));
  await expect((await Board.open(folder)).peek(0)).rejects.toThrow('entry-0.json in the folder');
  await folder.write('entry-0.json', Uint8Array.of(0x7b, 0x7d));
  await folder.remove('sums-0.words');
  await expect((await Board.open(folder)).peek(0)).rejects.toThrow('sums-0.words in the folder');
});
