import type { DuckDBConnection } from '@duckdb/node-api';

/** A private in-memory DuckDB that spills to `spillFolder`. */
export interface DuckDbSession {
  readonly connection: DuckDBConnection;
  /** First row of a query, as JavaScript values. */
  firstRow(sql: string): Promise<unknown[]>;
  close(): void;
}

/** The bindings are native code: undefined where they cannot be loaded. */
async function loadDuckDb(): Promise<typeof import('@duckdb/node-api') | undefined> {
  try {
    return await import('@duckdb/node-api');
  } catch {
    return undefined;
  }
}

/** Opens a session, or gives undefined where DuckDB cannot be loaded. `signal` interrupts a running query. */
export async function openDuckDb(
  spillFolder: string,
  signal: AbortSignal | undefined,
): Promise<DuckDbSession | undefined> {
  const duckdb = await loadDuckDb();
  if (duckdb === undefined) return undefined;
  const instance = await duckdb.DuckDBInstance.create(':memory:', {
    memory_limit: '2GB',
    temp_directory: spillFolder,
  });
  const connection = await instance.connect();
  const interrupt = () => connection.interrupt();
  signal?.addEventListener('abort', interrupt);
  const session: DuckDbSession = {
    connection,
    async firstRow(sql) {
      return (await (await connection.run(sql)).getRowsJS())[0] ?? [];
    },
    close() {
      signal?.removeEventListener('abort', interrupt);
      connection.closeSync();
      instance.closeSync();
    },
  };
  // What was aborted before it could be listened to.
  if (signal?.aborted === true) session.close();
  signal?.throwIfAborted();
  return session;
}

/** A text as an SQL literal. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Whether DuckDB failed because the disk is full, which another reader would too. Whatever else it stumbles
 * over (a row that does not parse, damage, its own memory limit), the reader in TypeScript gives the rows or
 * the error with its place.
 */
export function isFullDisk(error: unknown): boolean {
  return error instanceof Error && /No space left on device|disk (?:is )?full/i.test(error.message);
}
