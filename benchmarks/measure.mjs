/**
 * Processor time of this process so far, in milliseconds: what one thread used, however busy the machine is.
 */
export function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Times cases by turns, so that a disturbance hits all alike, and keeps the least time of each. Who begins
 * changes with the round, so that no case always finds the caches and the clock rate that the same other
 * left. A case is an async function; what it returns, if a number, is its own measurement in milliseconds
 * (another process timing itself). One-thread cases are measured in processor time, others by the clock on
 * the wall.
 */
export async function byTurns(cases, rounds, clock = processorTime) {
  const best = Object.fromEntries(Object.keys(cases).map((name) => [name, Infinity]));
  const all = Object.entries(cases);
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < all.length; turn++) {
      const [name, run] = all[(round + turn) % all.length];
      const started = clock();
      const own = await run();
      const milliseconds = typeof own === 'number' ? own : clock() - started;
      if (round > 0) best[name] = Math.min(best[name], milliseconds);
    }
  }
  return best;
}

/** Least-squares slope of log y against log x: the exponent of growth. */
export function growthExponent(points) {
  const logs = points.map(({ x, y }) => [Math.log(x), Math.log(y)]);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const over = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return over / under;
}

/** A table for people: columns aligned, numbers to three figures. */
export function printTable(title, rows) {
  console.log(`\n${title}`);
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]);
  const text = (value) =>
    typeof value === 'number' ? Number(value.toPrecision(3)).toString() : (value ?? '–');
  const widths = columns.map((c) => Math.max(c.length, ...rows.map((row) => text(row[c]).length)));
  const line = (cells) => cells.map((cell, k) => cell.padEnd(widths[k])).join('  ');
  console.log(line(columns));
  for (const row of rows) console.log(line(columns.map((c) => text(row[c]))));
}
