// Processor seconds and peak memory of importing generated ratings, each run in a process of its own, beside
// one DuckDB query that reads, drops repeated pairs, encodes ids, sorts and writes.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportCsv, generateCatalogue, importSource, openDataset } from '@hushrec/ratings';
import { printTable, processorTime } from './measure.mjs';

const scale = { min: 0.5, max: 5, step: 0.5 };

/**
 * The same in one query. Ids are numbers here, which is the fastest for DuckDB (`BIGINT`) but would not do
 * for ids like 007; `VARCHAR` is what an importer of any file needs. Of a pair that occurs several times the
 * last by time is kept: the one without a later neighbour.
 */
function oneQuery(csv, target, idType) {
  const ids = (
    column,
  ) => `SELECT ${column} AS id, (row_number() OVER (ORDER BY ${column}::BIGINT) - 1)::INTEGER AS code
    FROM (SELECT DISTINCT ${column} FROM raw)`;
  return `COPY (
    WITH raw AS MATERIALIZED (SELECT * FROM read_csv('${csv}', header = true, auto_detect = false, delim = ',',
        columns = {'u': '${idType}', 'i': '${idType}', 'rating': 'FLOAT', 'time': 'DOUBLE'})),
      users AS (${ids('u')}), items AS (${ids('i')})
    SELECT * FROM (SELECT users.code AS "user", items.code AS item, rating, "time"
      FROM raw JOIN users ON raw.u = users.id JOIN items ON raw.i = items.id)
    QUALIFY lead(item) OVER (PARTITION BY "user" ORDER BY item, "time") IS DISTINCT FROM item
    ORDER BY "user", item
  ) TO '${target}' (FORMAT parquet)`;
}

const steps = {
  async generate(folder, ratings, users, items) {
    const catalogue = generateCatalogue({
      users: Number(users),
      items: Number(items),
      ratings: Number(ratings),
      seed: 1,
    });
    await exportCsv(join(folder, 'ratings.csv'), catalogue);
    await duckDb(async (connection) => {
      const csv = `read_csv('${join(folder, 'ratings.csv')}')`;
      await connection.run(`COPY (FROM ${csv}) TO '${join(folder, 'ratings.parquet')}' (FORMAT parquet)`);
      const withText = `SELECT * REPLACE ("user"::VARCHAR AS "user", item::VARCHAR AS item) FROM ${csv}`;
      await connection.run(`COPY (${withText}) TO '${join(folder, 'text.parquet')}' (FORMAT parquet)`);
    });
    return { megabytes: statSync(join(folder, 'ratings.csv')).size / 1e6 };
  },
  async query(folder, idType) {
    const target = join(folder, 'query.parquet');
    await duckDb((connection) => connection.run(oneQuery(join(folder, 'ratings.csv'), target, idType)));
    return duckDb(async (connection) => {
      const result = await connection.run(`SELECT count(*)::INTEGER FROM read_parquet('${target}')`);
      return { ratings: (await result.getRowsJS())[0][0] };
    });
  },
  async import(folder, source, reader) {
    const {
      ratings,
      manifest,
      reader: used,
    } = await importSource(join(folder, source), join(folder, 'set'), {
      scale,
      reader,
      overwrite: true,
    });
    return { ratings, reader: used, contentHash: manifest.contentHash };
  },
  async open(folder) {
    return { ratings: (await openDataset(join(folder, 'set'))).manifest.ratings };
  },
};

async function duckDb(use) {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '4GB' });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Every step in a process of its own, the least of the rounds; results are compared. */
export async function benchmarkImport({ rounds, shape = ['10000000', '70000', '10000'] }) {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-import-'));
  const own = (step, ...args) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), step, folder, ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    if (status !== 0) throw new Error(`The step "${step}" of the import benchmark failed.`);
    return JSON.parse(stdout);
  };
  const runs = {
    'one DuckDB query, ids as numbers': ['query', 'BIGINT'],
    'one DuckDB query, ids as text': ['query', 'VARCHAR'],
    'import of text (no DuckDB in it)': ['import', 'ratings.csv', 'auto'],
    'import of Parquet with DuckDB': ['import', 'ratings.parquet', 'auto'],
    'import of Parquet, ids as text': ['import', 'text.parquet', 'auto'],
    'import of Parquet without DuckDB': ['import', 'ratings.parquet', 'typescript'],
    'open the data set': ['open'],
  };
  try {
    const { megabytes } = own('generate', ...shape);
    const best = {};
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      for (const [name, step] of Object.entries(runs)) {
        const result = own(...step);
        if (!(best[name]?.seconds <= result.seconds)) best[name] = result;
      }
    }
    const results = Object.values(best);
    const counts = new Set(results.map(({ ratings }) => ratings));
    const hashes = new Set(results.flatMap(({ contentHash = [] }) => contentHash));
    if (counts.size !== 1 || hashes.size !== 1)
      throw new Error(`Both sides must keep the same ratings: ${JSON.stringify(best)}`);
    const query = Math.min(
      ...Object.entries(runs).flatMap(([name, [step]]) => (step === 'query' ? best[name].seconds : [])),
    );
    printTable(
      `Import of ${shape[0]} ratings (${shape[1]} people, ${shape[2]} items, ${Math.round(megabytes)} MB of text), all kept by every run: processor seconds, least of ${Math.min(rounds, 3)}`,
      Object.entries(best).map(([name, { seconds, peakMegabytes, reader }]) => ({
        run: name,
        reader,
        'processor seconds': seconds,
        'over the better query': seconds / query,
        'peak memory, MB': peakMegabytes,
      })),
    );
    return best;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [step, ...args] = process.argv.slice(2);
  const result = await steps[step](...args);
  const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...result, seconds: processorTime() / 1000, peakMegabytes }));
}
