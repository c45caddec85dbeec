import { type ItemEnergies, type ItemNoise, noiseToSignal } from '@hushrec/factorize';
import { isCountsRelease, spreadOfCounts } from '@hushrec/model/usefulness';

/**
 * What a run has released so far and how much of it is more than noise: from released numbers, so looking is
 * free.
 */
export interface LiveSignal {
  /** Names of what was released, in order. */
  readonly releases: readonly string[];
  readonly items?: number;
  /** About how many items have a count of more than two standard deviations of its noise. */
  readonly itemsAboveNoise?: number;
  /**
   * Signal over noise of what was last released item by item, from the rarest fifth of items to the most
   * counted; null where no signal can be told from noise.
   */
  readonly fifths?: readonly (number | null)[];
}

const parts = 5;
const mostReleases = 500;

/** Follows releases while a model is trained. */
export class SignalListener {
  readonly #itemCount: number;
  readonly #tell: (live: LiveSignal) => void;
  readonly #releases: string[] = [];
  #vectors: ItemEnergies | undefined;
  #counts: { readonly above: number; readonly groupOf: Uint8Array } | undefined;

  constructor(itemCount: number, tell: (live: LiveSignal) => void) {
    this.#itemCount = itemCount;
    this.#tell = tell;
  }

  /** Told of every part of a release, with its values and noise; `seen` has been told before. */
  hear(release: string, values: ArrayLike<number> | undefined, noise: number, seen: ItemNoise): void {
    const isNew = this.#releases.at(-1) !== release;
    if (isNew && this.#releases.length < mostReleases) this.#releases.push(release);
    const isCounts = isCountsRelease(release) && values?.length === this.#itemCount && noise > 0;
    if (isCounts) this.#counts = countsOf(values, noise);
    else if (!isNew && seen.last === this.#vectors) return;
    this.#vectors = seen.last;
    this.#tell({
      releases: [...this.#releases],
      ...(this.#counts && {
        items: this.#itemCount,
        itemsAboveNoise: Math.round(this.#counts.above),
        ...(seen.last && { fifths: fifthsOf(seen, this.#counts.groupOf) }),
      }),
    });
  }
}

/**
 * Which items are rare is taken from released counts, whose noise is independent of that of later releases.
 */
function countsOf(released: ArrayLike<number>, noise: number) {
  const order = Array.from({ length: released.length }, (_, item) => item).sort(
    (a, b) => released[a] - released[b] || a - b,
  );
  const groupOf = new Uint8Array(released.length);
  for (const [place, item] of order.entries())
    groupOf[item] = Math.min(parts - 1, Math.floor((parts * place) / released.length));
  return { above: spreadOfCounts(released, noise).above, groupOf };
}

function fifthsOf(seen: ItemNoise, groupOf: Uint8Array): (number | null)[] {
  return noiseToSignal(seen.last!, groupOf, parts).map((ratio) =>
    ratio === null ? null : Number((1 / ratio).toPrecision(3)),
  );
}
