import {
  type CalibratedPlan,
  calibrate,
  createRecorder,
  type NoiseLayout,
  type OpenRelease,
  type ReleaseRecorder,
} from '@hushrec/privacy';
import { recordersInStep } from './recorders-in-step.js';

type SparseCells = Awaited<ReturnType<OpenRelease['thresholdedLaplace']>>;

/** One thing that left the curator, and how it was noised. */
export type ReleasedValue =
  | {
      readonly kind: 'numbers';
      readonly values: Float64Array;
      readonly layout: NoiseLayout;
      /** Standard deviation or scale of this part. */
      readonly scale: number;
      /** Noise and statistic are whole multiples of this, or of a fraction of it. */
      readonly gridStep: number;
    }
  | { readonly kind: 'bits'; readonly values: Uint8Array }
  | { readonly kind: 'choice'; readonly index: number }
  | {
      readonly kind: 'cells';
      readonly cells: SparseCells;
      readonly scale: number;
      readonly gridStep: number;
      readonly columnCount: number;
      readonly threshold: number;
      readonly clampTo: number;
    };

/** Everything a run released, in order, by `release name, occurrence, part`. */
export type Transcript = ReadonlyMap<string, { readonly release: string; readonly value: ReleasedValue }>;

/**
 * A replayed run asked for something that the first run never released: the two can be told apart by that
 * alone.
 */
export class TranscriptMismatchError extends Error {
  override readonly name = 'TranscriptMismatchError';
}

/** Passes everything on to `recorder` and notes what it returned. */
export function observing(recorder: ReleaseRecorder): { recorder: ReleaseRecorder; transcript: Transcript } {
  const transcript = new Map<string, { release: string; value: ReleasedValue }>();
  const note = (release: string, key: string, value: ReleasedValue) =>
    transcript.set(key, { release, value });
  return {
    transcript,
    recorder: wrapped(recorder, (name, key, open) => ({
      add: async (part, statistic, gridStep, layout = { kind: 'vector' }) => {
        const values = await open.add(part, statistic, gridStep, layout);
        const scale = scaleOf(recorder.plan, name, statistic.sensitivity);
        note(name, key(part), { kind: 'numbers', values: values.slice(), layout, scale, gridStep });
        return values;
      },
      flip: async (part, bits) => {
        const values = await open.flip(part, bits);
        note(name, key(part), { kind: 'bits', values: values.slice() });
        return values;
      },
      select: async (part, scores, gridStep) => {
        const index = await open.select(part, scores, gridStep);
        note(name, key(part), { kind: 'choice', index });
        return index;
      },
      thresholdedLaplace: async (part, sensitive, row) => {
        const cells = await open.thresholdedLaplace(part, sensitive, row);
        const scale = scaleOf(recorder.plan, name, sensitive.sensitivity);
        note(name, key(part), { kind: 'cells', cells, scale, ...row });
        return cells;
      },
    })),
  };
}

/**
 * Tells a run what another one released, whatever its own data, and notes what its data would have given
 * without noise: f_t(D; o_<t) of adaptive composition. The exact values come from a recorder of the same plan
 * without noise.
 */
export function replaying(
  plan: CalibratedPlan,
  transcript: Transcript,
): { recorder: ReleaseRecorder; exact: Transcript } {
  const exactRecorder = createRecorder(calibrate(plan, { epsilon: Infinity, delta: 0 }), { seed: 0 });
  // Keeps the plan with its planned noise, stage by stage.
  const keeper = createRecorder(plan, { seed: 0 });
  const exact = new Map<string, { release: string; value: ReleasedValue }>();
  const told = <Kind extends ReleasedValue['kind']>(key: string, kind: Kind) => {
    const value = transcript.get(key)?.value;
    if (value?.kind !== kind)
      throw new TranscriptMismatchError(`"${key}" was never released by the first run.`);
    return value as Extract<ReleasedValue, { kind: Kind }>;
  };
  const note = (release: string, key: string, value: ReleasedValue) => exact.set(key, { release, value });
  const recorder = recordersInStep({ draws: exactRecorder, follows: keeper, plan: keeper });
  return {
    exact,
    recorder: wrapped(recorder, (name, key, open) => ({
      add: async (part, statistic, gridStep, layout = { kind: 'vector' }) => {
        const { values, scale } = told(key(part), 'numbers');
        const own = await open.add(part, statistic, gridStep, layout);
        if (own.length !== values.length)
          throw new TranscriptMismatchError(
            `"${key(part)}" has ${own.length} numbers and not ${values.length}.`,
          );
        note(name, key(part), { kind: 'numbers', values: own, layout, scale, gridStep });
        return values.slice();
      },
      flip: async (part, bits) => {
        const { values } = told(key(part), 'bits');
        note(name, key(part), { kind: 'bits', values: await open.flip(part, bits) });
        return values.slice();
      },
      select: async (part, scores, gridStep) => {
        const { index } = told(key(part), 'choice');
        note(name, key(part), { kind: 'choice', index: await open.select(part, scores, gridStep) });
        return index;
      },
      thresholdedLaplace: async (part, sensitive, row) => {
        const { cells, scale } = told(key(part), 'cells');
        // Without noise and above the smallest threshold: the cells as they are.
        const everything = { ...row, threshold: row.gridStep / 2, clampTo: Infinity };
        const own = await open.thresholdedLaplace(part, sensitive, everything);
        note(name, key(part), { kind: 'cells', cells: own, scale, ...row });
        return cells;
      },
    })),
  };
}

/** Noise of one part: on a `perPart` line it is relative to the part's own sensitivity. */
function scaleOf(plan: CalibratedPlan, name: string, sensitivity: number): number {
  const line = plan.releases.find((release) => release.name === name)!;
  return line.perPart ? (line.noise * sensitivity) / line.sensitivity : line.noise;
}

type ReleaseMethods = Pick<OpenRelease, 'add' | 'flip' | 'select' | 'thresholdedLaplace'>;

function wrapped(
  recorder: ReleaseRecorder,
  methodsOf: (name: string, key: (part: number) => string, open: OpenRelease) => ReleaseMethods,
): ReleaseRecorder {
  const occurrences = new Map<string, number>();
  return {
    get plan() {
      return recorder.plan;
    },
    simulation: recorder.simulation,
    stage: (lines) => recorder.stage(lines),
    finish: () => recorder.finish(),
    begin(name) {
      const occurrence = occurrences.get(name) ?? 0;
      occurrences.set(name, occurrence + 1);
      const open = recorder.begin(name);
      return {
        name,
        noise: recorder.plan.releases.find((release) => release.name === name)?.noise ?? open.noise,
        close: () => open.close(),
        ...methodsOf(name, (part) => `${name}, ${occurrence}, ${part}`, open),
      };
    },
  };
}
