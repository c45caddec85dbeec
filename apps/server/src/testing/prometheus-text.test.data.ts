/** One family of metrics. */
export interface Parsed {
  readonly type: string;
  readonly samples: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly value: number;
  }[];
}

/**
 * Reads the text format 0.0.4 of Prometheus, and throws for anything that it does not allow: names, escapes,
 * numbers, a type after samples, a family twice or in pieces, a sample twice.
 */
export function parseStrictly(text: string): Map<string, Parsed> {
  const fail = (why: string): never => {
    throw new Error(why);
  };
  if (!text.endsWith('\n')) fail('no line feed at the end');
  const families = new Map<string, Parsed>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, help] = /^# HELP ([a-zA-Z_:][\w:]*) .+$/.exec(line) ?? [];
    const [, typed, type] = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (help !== undefined) {
      if (helped.has(help) || families.has(help)) fail(`HELP of ${help} twice or late`);
      helped.add(help);
    } else if (typed !== undefined) {
      if (families.has(typed)) fail(`TYPE of ${typed} twice`);
      families.set(typed, { type, samples: [] });
      current = typed;
    } else {
      const [, name, , inside = '', number] =
        /^([a-zA-Z_:][\w:]*)(\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\[\\"n])*"(?:,(?=[a-zA-Z_])|(?=\})))*)\})? (\S+)$/.exec(
          line,
        ) ?? fail(`no sample: ${line}`);
      const family = families.get(current) ?? fail('a sample before its type');
      const endings = family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
      if (!endings.some((ending) => name === current + ending)) fail(`${name} within ${current}`);
      if (family.type === 'counter' && !name.endsWith('_total')) fail(`counter ${name}`);
      if (!/^([+-]Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(number)) fail(`no number: ${number}`);
      if (seen.has(`${name}{${inside}}`)) fail(`twice: ${line}`);
      seen.add(`${name}{${inside}}`);
      const unescaped = (value: string) => value.replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c));
      const labels = Object.fromEntries(
        [...inside.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]) => [
          key,
          unescaped(value),
        ]),
      );
      family.samples.push({ name, labels, value: Number(number.replace('Inf', 'Infinity')) });
    }
  }
  return families;
}
