/** RMSE minus baseline of the same fold, for every (fold, run), at one ε. */
export interface CrossingPoint {
  readonly epsilon: number;
  readonly differences: readonly number[];
}

export interface Crossing {
  /** Smallest ε at which the curve reaches the baseline; `null` where it does not within the range tried. */
  readonly epsilon: number | null;
  /** 95 % bootstrap interval over (fold, run). */
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * The smallest ε at which the mean difference is ≤ 0: isotonic (decreasing) regression over the points, then linear interpolation in
 * log ε between the last point above and the first point at or below; interval by resampling differences at each ε
 * with the same indices (folds and runs are paired across ε).
 */
export function crossingOf(points: readonly CrossingPoint[], random: () => number): Crossing {
  const sorted = [...points].sort((a, b) => a.epsilon - b.epsilon);
  const means = (pick: (differences: readonly number[]) => number) =>
    interpolate(
      sorted.map(({ epsilon }) => epsilon),
      decreasing(sorted.map(({ differences }) => pick(differences))),
    );
  const epsilon = means(mean);
  const draws: number[] = [];
  const count = Math.min(...sorted.map(({ differences }) => differences.length));
  for (let draw = 0; draw < 400 && count > 1; draw++) {
    const chosen = Array.from({ length: count }, () => Math.floor(random() * count));
    const value = means((differences) => mean(chosen.map((at) => differences[at]!)));
    if (value !== null) draws.push(value);
  }
  draws.sort((a, b) => a - b);
  const quantile = (q: number) => draws[Math.min(draws.length - 1, Math.floor(q * draws.length))] ?? null;
  return { epsilon, low: quantile(0.025), high: quantile(0.975) };
}

/** Pool-adjacent-violators for a decreasing sequence with equal weights. */
export function decreasing(values: readonly number[]): number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of values) {
    blocks.push({ sum: value, count: 1 });
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1]!;
      const before = blocks[blocks.length - 2]!;
      if (before.sum / before.count >= last.sum / last.count) break;
      blocks.pop();
      before.sum += last.sum;
      before.count += last.count;
    }
  }
  return blocks.flatMap(({ sum, count }) => Array<number>(count).fill(sum / count));
}

function interpolate(epsilons: readonly number[], differences: readonly number[]): number | null {
  const at = differences.findIndex((difference) => difference <= 0);
  if (at < 0) return null;
  if (at === 0) return epsilons[0]!;
  const [above, below] = [differences[at - 1]!, differences[at]!];
  const share = above / (above - below);
  return Math.exp(Math.log(epsilons[at - 1]!) * (1 - share) + Math.log(epsilons[at]!) * share);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
