/** A request the browser saw this page make. */
export interface SeenRequest {
  readonly path: string;
  readonly at: number;
}

/**
 * Counts the requests this page makes, as the browser itself reports them (Resource Timing), whatever code
 * made them. A request is reported once its answer has been read. `since` begins a new count.
 */
export class NetworkWitness {
  readonly #seen: SeenRequest[] = [];
  #from = 0;
  #listener = () => {};

  constructor() {
    performance.setResourceTimingBufferSize(10_000);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { pathname, search } = new URL(entry.name, location.href);
        this.#seen.push({ path: pathname + search, at: entry.startTime });
      }
      this.#listener();
    }).observe({ type: 'resource', buffered: true });
  }

  /** Counts from now on. */
  startCounting(): void {
    this.#from = performance.now();
    this.#listener();
  }

  get requests(): readonly SeenRequest[] {
    return this.#seen.filter(({ at }) => at >= this.#from);
  }

  onChange(listener: () => void): void {
    this.#listener = listener;
  }
}

/**
 * What the page shows later must not look like a request of later: its fonts are fetched before counting
 * begins.
 */
export async function pageFonts(): Promise<void> {
  await Promise.allSettled([
    document.fonts.load('16px Inter'),
    document.fonts.load('16px Inter', 'ε'),
    document.fonts.load('500 16px Newsreader'),
  ]);
}
