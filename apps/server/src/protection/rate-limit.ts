/** How often something may happen: `burst` at once, then `perSecond`. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

const mostKeys = 10_000;

/**
 * Token buckets by key (an address). Keeps at most 10,000 keys, forgetting the ones seen longest ago, so that
 * many addresses cannot fill the memory. O(1) per call.
 */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { level: number; at: number }>();

  constructor(rate: Rate, now: () => number = () => performance.now() / 1000) {
    this.#rate = rate;
    this.#now = now;
  }

  /** True when it may happen now; then it counts. */
  take(key: string): boolean {
    const now = this.#now();
    const before = this.#buckets.get(key) ?? { level: this.#rate.burst, at: now };
    const level = Math.min(this.#rate.burst, before.level + (now - before.at) * this.#rate.perSecond);
    const allowed = level >= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, { level: allowed ? level - 1 : level, at: now });
    if (this.#buckets.size > mostKeys) this.#buckets.delete(this.#buckets.keys().next().value!);
    return allowed;
  }

  /** Whether the next `take` would be refused; counts nothing. */
  isExhausted(key: string): boolean {
    const bucket = this.#buckets.get(key);
    return bucket !== undefined && bucket.level + (this.#now() - bucket.at) * this.#rate.perSecond < 1;
  }
}
