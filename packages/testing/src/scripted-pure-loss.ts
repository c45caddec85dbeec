import {
  calibrate,
  createRecorder,
  type NoiseLayout,
  type OpenRelease,
  type ReleasePlan,
  type ReleaseRecorder,
} from '@hushrec/privacy';
import type { RatingMatrix } from '@hushrec/ratings';

/** What a run released, and the truth behind each part. */
interface Run {
  readonly released: Map<string, unknown>;
  readonly truths: Map<string, Truth>;
}

interface Truth {
  readonly line: string;
  /** Dense values in real units. */
  readonly values: Float64Array;
  /** Length of the vectors whose Euclidean change counts (K-norm); absent where the absolute sum does. */
  readonly vectorLength?: number;
  /** Own sensitivity per vector, for lines with relative noise. */
  readonly sensitivities?: Float64Array;
}

/** The largest privacy loss that one pair of neighbours can show, line by line of the plan. */
export interface PureLoss {
  readonly total: number;
  readonly byLine: ReadonlyMap<string, number>;
  /** Of each line, how many coordinates or vectors moved at all. */
  readonly moved: ReadonlyMap<string, number>;
}

/**
 * Runs a method on two neighbouring data sets, telling the second run what the first one released (adaptive
 * composition conditions on earlier outputs), and adds up how far apart the noised truths were: Σ
 * ‖change‖/scale, in the norm of each mechanism. Laplace and K-norm densities reach exactly that
 * log-likelihood ratio (where the output equals one of the two truths), so a correct method stays at or below
 * its ε, and one that exceeds it is not ε-DP.
 */
export async function pureLoss(
  plan: ReleasePlan,
  epsilon: number,
  trainOn: (recorder: ReleaseRecorder) => Promise<unknown>,
  trainOnNeighbour: (recorder: ReleaseRecorder) => Promise<unknown>,
): Promise<PureLoss> {
  const calibrated = calibrate(plan, { epsilon, delta: 0 });
  const first = await scriptedRun(plan, epsilon, trainOn);
  const second = await scriptedRun(plan, epsilon, trainOnNeighbour, first.released);
  const byLine = new Map<string, number>();
  const moved = new Map<string, number>();
  for (const key of new Set([...first.truths.keys(), ...second.truths.keys()])) {
    const one = first.truths.get(key);
    const other = second.truths.get(key);
    if (one === undefined || other === undefined || one.values.length !== other.values.length)
      throw new Error(`The neighbouring runs did not release the same parts: ${key}.`);
    const line = calibrated.releases.find(({ name }) => name === one.line);
    if (line === undefined) throw new Error(`${one.line} is not in the plan.`);
    const width = one.vectorLength ?? 1;
    for (let begin = 0; begin < one.values.length; begin += width) {
      let squared = 0;
      for (let at = begin; at < begin + width; at++) squared += (one.values[at] - other.values[at]) ** 2;
      if (squared === 0) continue;
      moved.set(one.line, (moved.get(one.line) ?? 0) + 1);
      const own = one.sensitivities?.[begin / width];
      const otherOwn = other.sensitivities?.[begin / width];
      // Noise scales that differ between neighbours reveal the data by themselves: no finite loss covers
      // that.
      const scale =
        own !== otherOwn ? 0 : own === undefined ? line.noise : (line.noise * own) / line.sensitivity;
      byLine.set(one.line, (byLine.get(one.line) ?? 0) + Math.sqrt(squared) / scale);
    }
  }
  return { total: [...byLine.values()].reduce((sum, loss) => sum + loss, 0), byLine, moved };
}

/** The method parts that a test needs: what is planned for settings, and training through a recorder. */
export interface TestedMethod {
  plan(settings: Settings, shape: never): ReleasePlan;
  train(input: never): Promise<unknown>;
}

type Settings = Readonly<Record<string, number | string | boolean>>;

/** `pureLoss` of a method on two data sets with the same public randomness. */
export function methodLoss(
  method: TestedMethod,
  settings: Settings,
  epsilon: number,
  one: RatingMatrix,
  other: RatingMatrix,
): Promise<PureLoss> {
  const { plan, trainOn } = testedRun(method, settings, epsilon, one);
  return pureLoss(plan, epsilon, trainOn, testedRun(method, settings, epsilon, other).trainOn);
}

/** Drawn noise over its planned scale, by line: standard Laplace coordinates, or standard K-norm vectors. */
export async function methodNoise(
  method: TestedMethod,
  settings: Settings,
  epsilon: number,
  ratings: RatingMatrix,
): Promise<ReadonlyMap<string, Float64Array>> {
  const { plan, trainOn } = testedRun(method, settings, epsilon, ratings);
  const calibrated = calibrate(plan, { epsilon, delta: 0 });
  const { released, truths } = await scriptedRun(plan, epsilon, trainOn);
  const noise = new Map<string, number[]>();
  for (const [key, truth] of truths) {
    const value = released.get(key);
    if (!(value instanceof Float64Array)) continue;
    const line = calibrated.releases.find(({ name }) => name === truth.line)!;
    const drawn = noise.get(truth.line) ?? [];
    for (let at = 0; at < value.length; at++) {
      const own = truth.sensitivities?.[Math.floor(at / (truth.vectorLength ?? 1))];
      if (own === 0) continue;
      const scale = own === undefined ? line.noise : (line.noise * own) / line.sensitivity;
      drawn.push((value[at] - truth.values[at]) / scale);
    }
    noise.set(truth.line, drawn);
  }
  return new Map([...noise].map(([line, drawn]) => [line, Float64Array.from(drawn)]));
}

function testedRun(method: TestedMethod, settings: Settings, epsilon: number, ratings: RatingMatrix) {
  const shape = { itemCount: ratings.itemCount, scale: ratings.scale, epsilon, delta: 0, features: [] };
  const trainOn = (recorder: ReleaseRecorder) => {
    let state = 7;
    // Park & Miller 1988: public randomness, the same for both runs.
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    return method.train({ ratings, settings, recorder, random, features: [] } as never);
  };
  return { plan: method.plan(settings, shape as never), trainOn };
}

async function scriptedRun(
  plan: ReleasePlan,
  epsilon: number,
  train: (recorder: ReleaseRecorder) => Promise<unknown>,
  script?: ReadonlyMap<string, unknown>,
): Promise<Run> {
  const calibrated = calibrate(plan, { epsilon, delta: 0 });
  const exact = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }), { seed: 1 });
  const noisy = createRecorder(calibrated, { seed: 1 });
  const released = new Map<string, unknown>();
  const truths = new Map<string, Truth>();
  const occurrences = new Map<string, number>();
  const begin = (name: string): OpenRelease => {
    const occurrence = occurrences.get(name) ?? 0;
    occurrences.set(name, occurrence + 1);
    const truth = exact.begin(name);
    const release = noisy.begin(name);
    const planned = plan.releases.find((line) => line.name === name);
    const told = async <T>(part: number, draw: () => Promise<T>): Promise<T> => {
      const key = `${name} ${occurrence} ${part}`;
      const value = script?.has(key) ? (script.get(key) as T) : await draw();
      released.set(key, value);
      return structuredClone(value);
    };
    return {
      name,
      noise: release.noise,
      async add(part, statistic, gridStep, layout: NoiseLayout = { kind: 'vector' }) {
        const values = await truth.add(part, statistic, gridStep, layout);
        const { mechanism, perPart } = planned!;
        truths.set(`${name} ${occurrence} ${part}`, {
          line: name,
          values,
          ...(mechanism.kind === 'k-norm' ? { vectorLength: mechanism.dimension } : {}),
          ...(perPart
            ? { sensitivities: ownSensitivities(layout, statistic.sensitivity, values.length) }
            : {}),
        });
        return told(part, () => release.add(part, statistic, gridStep, layout));
      },
      async flip(part, bits) {
        const values = Float64Array.from(await truth.flip(part, bits));
        truths.set(`${name} ${occurrence} ${part}`, { line: name, values });
        return told(part, () => release.flip(part, bits));
      },
      select: () => Promise.reject(new Error('select is not scripted here.')),
      async thresholdedLaplace(part, cells, row) {
        const everything = { ...row, threshold: 0, clampTo: Infinity };
        const given = await truth.thresholdedLaplace(part, cells, everything);
        const values = new Float64Array(row.columnCount);
        given.columns.forEach((column, at) => {
          values[column] = given.values[at];
        });
        truths.set(`${name} ${occurrence} ${part}`, { line: name, values });
        return told(part, () => release.thresholdedLaplace(part, cells, row));
      },
      close: () => release.close(),
    };
  };
  const stage: ReleaseRecorder['stage'] = (lines) => noisy.stage(lines);
  await train({ plan: calibrated, simulation: true, stage, begin, finish: () => noisy.finish() });
  return { released, truths };
}

function ownSensitivities(layout: NoiseLayout, common: number, length: number): Float64Array {
  return layout.kind === 'vectors' && layout.sensitivities !== undefined
    ? layout.sensitivities.slice()
    : new Float64Array(length).fill(common);
}
