import type { AddressFormat } from './rating-format.js';

/** A table or a query of an SQLite file. The code that asks it is loaded with the first one. */
export const sqlite = {
  name: 'sqlite',
  from: 'address',
  about: [
    {
      source: 'SQLite, `sqlite:shop.db --query "SELECT …"` or `sqlite:shop.db?table=ratings`',
      recognisedBy: 'the address',
      scale: 'declared',
    },
  ],
  takes: ['query', 'columns', 'scale', 'events'],
  addressHint: 'A database is named by its file: sqlite:shop.db.',
  recognises: (address) => address.startsWith('sqlite:'),
  async read(address, request) {
    const { readSqlite } = await import('../sources/read-sqlite.js');
    return readSqlite(address, request);
  },
} as const satisfies AddressFormat;
