import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres, whyNoPostgres } from './postgres.js';

const reason = whyNoPostgres();

describe.skipIf(reason !== undefined)(`a PostgreSQL server for tests${reason ? ` (${reason})` : ''}`, () => {
  it('starts, answers, refuses a wrong password, and stops', async () => {
    const server = await startPostgres();
    try {
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      expect((await client.query('select 6 * 7 as answer')).rows).toEqual([{ answer: 42 }]);
      await client.end();
      const wrong = new pg.Client({ connectionString: server.url.replace(/:[^:@/]+@/, ':wrong@') });
      await expect(wrong.connect()).rejects.toMatchObject({ code: '28P01' });
    } finally {
      await server.stop();
    }
    const late = new pg.Client({ connectionString: server.url });
    if (process.env['DATABASE_URL'] === undefined) await expect(late.connect()).rejects.toThrow();
  });
});
