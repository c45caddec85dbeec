import type { AddressFormat } from './rating-format.js';

/** The rows of a query. The code that asks a database is loaded with the first query. */
export const postgres = {
  name: 'postgres',
  from: 'address',
  about: [
    {
      source: 'PostgreSQL, `postgres://… --query "SELECT …"`',
      recognisedBy: 'the URL',
      scale: 'declared',
    },
  ],
  takes: ['query', 'columns', 'scale', 'events'],
  addressHint: 'A database is named by its URL: postgres://user:password@host/name.',
  recognises: (address) => /^postgres(?:ql)?:\/\//.test(address),
  async read(address, request) {
    const { postgresName, readPostgres } = await import('../sources/read-postgres.js');
    return { ...(await readPostgres(address, request)), name: postgresName(address) };
  },
} as const satisfies AddressFormat;
