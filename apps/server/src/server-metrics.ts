const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

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

  /** `gauges` are read at the moment of asking: running jobs, published models. */
  text(gauges: Readonly<Record<string, number>>): string {
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
    return `${lines.join('\n')}\n`;
  }
}
