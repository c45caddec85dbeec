import { randomUUID } from 'node:crypto';
import { startPostgres, type TestPostgres } from '@hushrec/testing';
import pg from 'pg';

/** An empty database of its own on the test's PostgreSQL, also when several tests share one server. */
export async function freshDatabase(): Promise<TestPostgres> {
  const server = await startPostgres();
  const name = `hushrec_test_${randomUUID().replaceAll('-', '')}`;
  const run = async (statement: string) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await run(`CREATE DATABASE ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    ...(server.restart && { restart: server.restart }),
    stop: async () => {
      await run(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.stop();
    },
  };
}
