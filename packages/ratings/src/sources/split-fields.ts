/**
 * The fields of one line. Where `quoted`, a field may stand in double quotes, in which the separator is text
 * and "" is a quote (RFC 4180, without line breaks inside quotes). Undefined when a quote is not closed or is
 * followed by text.
 */
export function splitFields(line: string, separator: string, quoted: boolean): string[] | undefined {
  if (!quoted || !line.includes('"')) return line.split(separator);
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    if (line[at] !== '"') {
      const end = line.indexOf(separator, at);
      if (end < 0) {
        fields.push(line.slice(at));
        return fields;
      }
      fields.push(line.slice(at, end));
      at = end + separator.length;
      continue;
    }
    let field = '';
    for (at++; ; ) {
      const close = line.indexOf('"', at);
      if (close < 0) return undefined;
      field += line.slice(at, close);
      at = close + 1;
      if (line[at] !== '"') break;
      field += '"';
      at++;
    }
    fields.push(field);
    if (at === line.length) return fields;
    if (!line.startsWith(separator, at)) return undefined;
    at += separator.length;
  }
}
