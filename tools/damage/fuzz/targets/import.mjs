// Every reader of ratings: the example of each format of files, and kinds of text, packed text, archives and
// Parquet that the examples do not have.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { disk, fileFormats, importSource } from '@hushrec/ratings';
import { corpusOf } from '../corpus.mjs';
import { mutated } from '../mutate.mjs';
import { parquetSamples } from '../samples/parquet.mjs';
import { zipOf } from '../samples/zip.mjs';

const scale = { min: 0.5, max: 5, step: 0.5 };
const rows = Array.from({ length: 120 }, (_, k) => [
  `u${k % 17}`,
  `item ${(k * 7) % 31}`,
  ((k * 3) % 10) / 2 + 0.5,
  1_500_000_000 + k,
]);
const lines = (separator, header) =>
  Buffer.from(`${header}${rows.map((row) => row.join(separator)).join('\n')}\n`);
const csv = lines(',', 'user,item,rating,timestamp\n');
const movies = Buffer.from('1::Heat (1995)::Action|Crime\n2::Ice (1999)::Drama\n');
const stars = Buffer.from(
  rows.map(([user, item], k) => [user.slice(1), item.slice(5), 1 + (k % 5), k].join('::')).join('\n'),
);

/** `sealed`: a packing with check sums, so whatever is accepted must be what was packed. */
const samples = [
  { name: 'a.csv', bytes: csv },
  { name: 'quoted.csv', bytes: Buffer.from('"user","item","rating"\n"a ""b""","x,y",3\n"ü","z",4.5\n') },
  { name: 'a.tsv', bytes: lines('\t', '') },
  { name: 'a.dat', bytes: lines('::', '') },
  { name: 'latin.csv', bytes: Buffer.from('user,item,rating\nj\xfcrgen,caf\xe9,3\n', 'latin1') },
  { name: 'a.csv.gz', bytes: gzipSync(csv), sealed: true },
  { name: 'a.zip', bytes: zipOf({ 'ratings.dat': stars, 'movies.dat': movies }), sealed: true },
  ...(await parquetSamples(rows)).map((bytes, k) => ({ name: `${k}.parquet`, bytes })),
  ...(await Promise.all(fileFormats.map(exampleOf))),
];

/** Damage may make it look like another format; it is read as its own. */
async function exampleOf({ name: format, example: { name, content } }) {
  const bytes = typeof content === 'string' ? Buffer.from(content) : await content();
  return { name, bytes, options: { format } };
}

/** Nothing here has to outlive the power, and syncing would take most of the time. */
const unsynced = {
  ...disk,
  create: async (...where) => ({ ...(await disk.create(...where)), sync: async () => {} }),
  syncFolder: async () => {},
};

/**
 * Starting DuckDB takes longer than reading one of these files with it: an instance serves a hundred sessions
 * here, each with the tables of its own import only.
 */
async function shareDuckDb() {
  const duckdb = await import('@duckdb/node-api').catch(() => undefined);
  if (duckdb === undefined) return;
  const { DuckDBInstance } = duckdb;
  const create = DuckDBInstance.create.bind(DuckDBInstance);
  let instance;
  let sessions = 0;
  DuckDBInstance.create = async (...how) => {
    if (sessions++ % 100 === 0) {
      instance?.closeSync();
      instance = await create(...how);
    }
    return {
      async connect() {
        const connection = await instance.connect();
        for (const table of ['raw', 'users', 'items']) await connection.run(`DROP TABLE IF EXISTS ${table}`);
        return connection;
      },
      closeSync() {},
    };
  };
}

export async function prepare(folder) {
  await shareDuckDb();
  const input = join(folder, 'input');
  const output = join(folder, 'output');
  mkdirSync(output, { recursive: true });
  const read = async (name, bytes, options, reader) => {
    rmSync(input, { recursive: true, force: true });
    mkdirSync(input);
    writeFileSync(join(input, name), bytes);
    const set = join(output, reader);
    rmSync(set, { recursive: true, force: true });
    return importSource(join(input, name), set, {
      ...{ assumeScale: () => scale, skipBadRows: 1000, files: unsynced },
      ...options,
      reader,
    }).then(
      ({ manifest, badRows }) => `${manifest.contentHash} ${badRows}`,
      (error) =>
        ['data', 'usage'].includes(error.kind) ? `refused: ${error.name}` : `! raw ${describe(error)}`,
    );
  };
  const whole = new Map();
  for (const { name, bytes, options } of samples) whole.set(name, await read(name, bytes, options, 'auto'));
  const both = async ({ name, bytes, options, sealed }) => {
    const auto = await read(name, bytes, options, 'auto');
    // Text has one reader: a second import would be the same code again.
    const script = name.endsWith('.parquet') ? await read(name, bytes, options, 'typescript') : auto;
    const left = readdirSync(output).filter((each) => each !== 'auto' && each !== 'typescript');
    if (left.length > 0) return `! left ${left.map((each) => basename(each).slice(0, 20)).join(' ')}`;
    for (const each of [auto, script]) if (each.startsWith('!')) return `${each} (${name})`;
    // Parquet has no check sums that its readers look at: on damaged pages they may see different rows.
    if (auto !== script) return 'damaged Parquet, read in two ways';
    if (auto.startsWith('refused')) return 'refused';
    if (sealed && auto.split(' ')[0] !== whole.get(name).split(' ')[0]) return `! accepted damage of ${name}`;
    return 'read';
  };
  const corpus = corpusOf('import');
  return {
    attempt: (random, number) => {
      if (number < corpus.length) return both(corpus[number]);
      const sample = random.pick(samples);
      return both({ ...sample, bytes: mutated(sample.bytes, random) });
    },
  };
}

function describe(error) {
  return `${error?.name}: ${String(error?.message)
    .replaceAll(/\/\S+\//g, '')
    .slice(0, 120)}`;
}
