import Database from 'libsql';

/**
 * Makes a ledger on SQLite refuse completions, or every entry, as a database that fails just then; what is
 * returned mends it.
 */
export function refuseEntries(ledger: string, what: 'completions' | 'entries'): () => void {
  const change = (sql: string) => {
    const database = new Database(ledger);
    database.exec(sql);
    database.close();
  };
  const when = what === 'completions' ? 'WHEN NEW.spend IS NOT NULL' : '';
  change(
    `CREATE TRIGGER fails BEFORE INSERT ON ledger_entry ${when} BEGIN SELECT RAISE(ABORT, 'no room left'); END`,
  );
  return () => change('DROP TRIGGER fails');
}
