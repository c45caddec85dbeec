// The server's list of runs: a damaged file is refused, or gives exactly the runs that were written.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRunStore } from '@hushrec/server';
import { mutated } from '../mutate.mjs';

const run = (id) => ({
  id,
  request: { dataset: 'sample', method: 'dpals', epsilon: 1, settings: { rank: 8 }, model: `möbel-${id}` },
  status: 'queued',
  createdAt: `2026-01-01T00:00:0${id.length}.000Z`,
  startedAt: null,
  endedAt: null,
  progress: null,
  result: { text: 'ümlaut'.repeat(20) },
  quality: null,
  error: null,
});

export async function prepare(folder) {
  mkdirSync(folder, { recursive: true });
  const whole = join(folder, 'whole.sqlite');
  const store = await openRunStore(whole);
  for (let k = 0; k < 6; k++) await store.put(run('r'.repeat(k + 1)));
  const written = JSON.stringify([await store.list(100), await store.unfinished()]);
  await store.close();
  const bytes = readFileSync(whole);
  return {
    attempt: async (random, number) => {
      // A name of its own: what could not be read keeps its lock until the process ends.
      const file = join(folder, `${number}.sqlite`);
      const damage = mutated(bytes, random);
      writeFileSync(file, damage);
      try {
        const damaged = await openRunStore(file);
        const found = JSON.stringify([await damaged.list(100), await damaged.unfinished()]);
        await damaged.close();
        if (found === written) return 'unchanged';
        // Cut to nothing, a file is a new one: the list of runs is a convenience, and budgets have their own
        // record.
        return damage.length === 0 ? 'empty file' : '! accepted other runs';
      } catch (error) {
        return error.kind === 'data' && error.message.includes(file)
          ? 'refused'
          : `! raw ${error.name}: ${error.message}`;
      } finally {
        for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
      }
    },
  };
}
