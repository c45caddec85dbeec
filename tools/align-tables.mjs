/** Markdown with the columns of its tables padded to the same width, as it stands in docs/. */
export function alignTables(markdown) {
  return markdown.replace(/(?:^\|.*\|\n)+/gm, (table) => {
    const rows = table
      .trimEnd()
      .split('\n')
      .map((row) =>
        row
          .slice(1, -1)
          .split(/(?<!\\)\|/)
          .map((cell) => cell.trim()),
      );
    const isRule = (cell) => /^-{3,}$/.test(cell);
    const widths = rows[0].map((_, column) =>
      Math.max(3, ...rows.map((row) => (isRule(row[column]) ? 3 : [...row[column]].length))),
    );
    const padded = (cell, column) =>
      isRule(cell) ? '-'.repeat(widths[column]) : cell + ' '.repeat(widths[column] - [...cell].length);
    return rows.map((row) => `| ${row.map(padded).join(' | ')} |\n`).join('');
  });
}
