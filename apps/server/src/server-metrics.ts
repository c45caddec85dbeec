const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** A metric with its labels, as it stands at the moment of asking. */
export interface MetricFamily {
  /** Without `hushrec_`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/**
 * Counts for `/metrics` in the text format of Prometheus. Labels hold method, route pattern and status,
 * nothing personal.
 */
export class ServerMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Float64Array(buckets.length + 1);
  #seconds = 0;
  #count = 0;

  observe(method: string, route: string, status: number, seconds: number): void {
    const labels = `method="${method}",route="${route}",status="${status}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const found = buckets.findIndex((limit) => seconds <= limit);
    this.#durations[found < 0 ? buckets.length : found] += 1;
    this.#seconds += seconds;
    this.#count++;
  }

  /** What is not counted here is read at the moment of asking: running jobs, published models, budgets. */
  text(gauges: Readonly<Record<string, number>>, families: readonly MetricFamily[] = []): string {
    const lines = [
      '# HELP hushrec_requests_total HTTP requests answered.',
      '# TYPE hushrec_requests_total counter',
    ];
    for (const [labels, count] of this.#requests) lines.push(`hushrec_requests_total{${labels}} ${count}`);
    lines.push('# HELP hushrec_request_seconds Time to answer.', '# TYPE hushrec_request_seconds histogram');
    let below = 0;
    for (const [index, limit] of buckets.entries()) {
      below += this.#durations[index];
      lines.push(`hushrec_request_seconds_bucket{le="${limit}"} ${below}`);
    }
    lines.push(
      `hushrec_request_seconds_bucket{le="+Inf"} ${this.#count}`,
      `hushrec_request_seconds_sum ${this.#seconds}`,
      `hushrec_request_seconds_count ${this.#count}`,
    );
    for (const [name, value] of Object.entries(gauges)) {
      lines.push(`# TYPE hushrec_${name} gauge`, `hushrec_${name} ${value}`);
    }
    for (const family of families) lines.push(...familyLines(family));
    return `${lines.join('\n')}\n`;
  }
}

function familyLines({ name, help, type, samples }: MetricFamily): string[] {
  const full = `hushrec_${name}`;
  const label = ([key, value]: readonly [string, string]) => `${key}="${escaped(value)}"`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...samples.map(({ labels, value }) => {
      const all = Object.entries(labels).map(label).join(',');
      return `${full}${all === '' ? '' : `{${all}}`} ${numberText(value)}`;
    }),
  ];
}

/** Names of models and accounts are chosen by people. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);
}
