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
 * begins; those for letters that few catalogues have, where one of the titles has them.
 */
export async function pageFonts(titles: Iterable<string> = []): Promise<void> {
  const letters = new Set<string>();
  for (const title of titles)
    for (const [letter] of title.matchAll(/[\u0100-\u024f\u1e00-\u1eff]/g)) letters.add(letter);
  await Promise.allSettled([
    ...(letters.size === 0 ? [] : [document.fonts.load('16px Inter', [...letters].join(''))]),
    document.fonts.load('16px Inter'),
    document.fonts.load('16px Inter', 'ε'),
    document.fonts.load('500 16px Newsreader'),
  ]);
}
