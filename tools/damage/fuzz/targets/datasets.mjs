// Dataset folders: a damaged file is refused, or nothing of what is read from the folder differs from what
// was written.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFeatures, importSource, openDataset, writeDataset } from '@hushrec/ratings';
import { mutated } from '../mutate.mjs';

export async function prepare(folder) {
  const source = join(folder, 'ratings.csv');
  const lines = Array.from(
    { length: 200 },
    (_, k) => `u${k % 23},i${(k * 7) % 41},${1 + (k % 5)},${1e9 + k}`,
  );
  writeFileSync(source, `user,item,rating,time\n${lines.join('\n')}\n`);
  const plain = join(folder, 'plain');
  await importSource(source, plain, { scale: { min: 1, max: 5, step: 1 } });
  const genres = join(folder, 'genres.csv');
  writeFileSync(
    genres,
    `item,genre\n${Array.from({ length: 41 }, (_, k) => `i${k},${'abc'[k % 3]}|d`).join('\n')}\n`,
  );
  const set = await openDataset(plain);
  const { source: feature } = await importFeatures(genres, { kind: 'categorical' }, set);
  const whole = join(folder, 'whole');
  const { manifest, ratings, userIds, itemIds, itemTitles, appearance } = set;
  const { name, provenance } = manifest;
  await writeDataset(whole, {
    name,
    ratings,
    userIds,
    itemIds,
    itemTitles,
    features: [feature],
    appearance,
    provenance,
  });
  const written = digest(await openDataset(whole));
  const files = readdirSync(whole);
  const copy = join(folder, 'copy');
  return {
    attempt: async (random) => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(whole, copy, { recursive: true });
      const file = random.pick(files);
      writeFileSync(join(copy, file), mutated(readFileSync(join(whole, file)), random));
      try {
        return digest(await openDataset(copy)) === written
          ? 'unchanged'
          : `! accepted other data after damage of ${file}`;
      } catch (error) {
        if (error.kind !== 'data') return `! raw ${error.name}: ${error.message} (${file})`;
        return error.message.includes(copy) ? 'refused' : `! refused without the place: ${error.message}`;
      }
    },
  };
}

/** Everything that training reads of a data set. */
function digest({ manifest, ratings, userIds, itemIds, itemTitles, features, appearance }) {
  const { account, scale, hasTimes } = manifest;
  return JSON.stringify(
    [account, scale, hasTimes, ratings, userIds, itemIds, itemTitles, features, appearance],
    (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value),
  );
}
