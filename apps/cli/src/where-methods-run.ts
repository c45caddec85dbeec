import type { Method } from '@hushrec/factorize';

/** Methods that spark.test.ts runs on a cluster. */
const triedOnClusters = new Set([
  'hush',
  'dpals',
  'dp-cmf',
  'am-ssp',
  'am-dpsgd',
  'dp-sgd',
  'dp-svd',
  'dp-fw',
]);

/** Where people's ratings may be for a method, and what of it uses several threads. */
export interface Places {
  readonly needs: Method['needs'];
  readonly memory: 'yes';
  /**
   * `yes`: people are dealt out to them. `kernels`: solving and summing matrices uses them, other loops do
   * not.
   */
  readonly threads: 'yes' | 'kernels';
  readonly files: 'yes' | 'no';
  readonly cluster: 'yes' | 'not tried' | 'no';
}

/**
 * Follows from what the method needs: sums over people can be made anywhere, all ratings must be in one
 * process.
 */
export function placesOf({ id, needs }: Pick<Method, 'id' | 'needs'>): Places {
  if (needs === 'ratings') return { needs, memory: 'yes', threads: 'kernels', files: 'no', cluster: 'no' };
  const cluster = triedOnClusters.has(id) ? 'yes' : 'not tried';
  const threads = id === 'hush' ? 'yes' : 'kernels';
  return { needs, memory: 'yes', threads, files: 'yes', cluster };
}

/** The same of all methods as a table in Markdown, which is plain enough to read in a terminal. */
export function placesTable(methods: readonly Method[]): string {
  const rows = [
    ['method', 'needs', 'in memory', 'threads', 'files (--memory)', 'cluster (--engine)'],
    ...methods.map((method) => {
      const { needs, memory, threads, files, cluster } = placesOf(method);
      return [method.id, needs, memory, threads, files, cluster];
    }),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
