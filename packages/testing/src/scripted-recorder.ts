import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type NoiseLayout,
  type OpenRelease,
  type ReleasePlan,
  type ReleaseRecorder,
} from '@hushrec/privacy';

/** One part of one release as the data had it, before noise. */
interface Truth {
  readonly name: string;
  readonly values: Float64Array;
  readonly layout: NoiseLayout;
}

/** What a run released (the script that a second run is told) and what was true. */
export interface ScriptedRun {
  readonly released: ReadonlyMap<string, Float64Array>;
  readonly truths: ReadonlyMap<string, Truth>;
}

/**
 * Runs a method twice, on neighbouring data sets, and tells the second run what the first one released: the
 * situation in which the sensitivity of every release is defined (adaptive composition conditions on earlier
 * outputs).
 *
 * Returns μ = √Σ (‖change of statistic‖ / noise)² over all releases, to be compared with the μ that the plan
 * was calibrated to. It catches a missing clip, a release scaled wrongly, exact normalisers, and any other
 * way in which one person's data reaches another person's contribution.
 */
export async function whitenedChange(
  plan: ReleasePlan,
  target: { readonly epsilon: number; readonly delta: number },
  trainOn: (recorder: ReleaseRecorder) => Promise<unknown>,
  trainOnNeighbour: (recorder: ReleaseRecorder) => Promise<unknown>,
): Promise<number> {
  const calibrated = calibrate(plan, target);
  const first = await scriptedRun(plan, calibrated, trainOn);
  const second = await scriptedRun(plan, calibrated, trainOnNeighbour, first.released);
  const noise = new Map(calibrated.releases.map((release) => [release.name, release.noise]));
  let square = 0;
  for (const [key, truth] of first.truths) {
    const other = second.truths.get(key)!;
    square += squaredChange(truth, other) / noise.get(truth.name)! ** 2;
  }
  return Math.sqrt(square);
}

function squaredChange(a: Truth, b: Truth): number {
  let square = 0;
  let row = 0;
  let column = 0;
  for (let at = 0; at < a.values.length; at++) {
    const change = (a.values[at] - b.values[at]) ** 2;
    if (a.layout.kind !== 'symmetric') {
      square += change;
      continue;
    }
    square += row === column ? change : 2 * change;
    if (++column === a.layout.width) {
      row = (row + 1) % a.layout.width;
      column = row;
    }
  }
  return square;
}

async function scriptedRun(
  plan: ReleasePlan,
  calibrated: CalibratedPlan,
  train: (recorder: ReleaseRecorder) => Promise<unknown>,
  script?: ReadonlyMap<string, Float64Array>,
): Promise<ScriptedRun> {
  const exact = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }), { seed: 1 });
  const noisy = createRecorder(calibrated, { seed: 1 });
  const released = new Map<string, Float64Array>();
  const truths = new Map<string, Truth>();
  const occurrences = new Map<string, number>();
  const recorder: ReleaseRecorder = {
    get plan() {
      return noisy.plan;
    },
    simulation: true,
    stage(lines) {
      exact.stage(lines);
      noisy.stage(lines);
    },
    finish: () => noisy.finish(),
    begin(name) {
      const occurrence = occurrences.get(name) ?? 0;
      occurrences.set(name, occurrence + 1);
      const truth = exact.begin(name);
      const release = noisy.begin(name);
      const open: Pick<OpenRelease, 'name' | 'noise' | 'add' | 'close'> = {
        name,
        noise: release.noise,
        async add(part, statistic, gridStep, layout: NoiseLayout = { kind: 'vector' }) {
          const key = `${name} ${occurrence} ${part}`;
          truths.set(key, { name, layout, values: await truth.add(part, statistic, gridStep, layout) });
          const value = script?.get(key) ?? (await release.add(part, statistic, gridStep, layout));
          released.set(key, value.slice());
          return value.slice();
        },
        close: () => release.close(),
      };
      return open as OpenRelease;
    },
  };
  await train(recorder);
  return { released, truths };
}
