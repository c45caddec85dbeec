import { executeRun, type PlannedRun } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import {
  createAnsweringRecorder,
  placeOf,
  type ReleaseRecorder,
  type ReleaseRequest,
  rehearsalAnswers,
  squaredMu,
  wrapRecorder,
} from '@hushrec/privacy';
import { type FeatureSource, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { strangersCoins } from './train-with-twin.js';

/** Random logs in which everything released is of one size. */
const EVEN_LOGS = 52;
/** Random logs on which the rule of a plan in stages is tried: in the last ones totals alone stand out. */
export const RANDOM_LOGS = EVEN_LOGS + 8;

/** A run that would not carry out its plan. Nothing was charged, and no rating was read. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
  readonly kind = 'usage';
  constructor(method: string, detail: string, options?: ErrorOptions) {
    super(
      `${method} with these settings would not carry out its plan: ${detail} Nothing was charged and no rating was read.`,
      options,
    );
  }
}

export interface Rehearsal {
  /** What the run asks for when everything released is zero, in order. */
  readonly requests: readonly ReleaseRequest[];
}

/**
 * Tries a run out before it is paid for: on what the unit leaves public, everything released being zero. The
 * record must be the plan, line by line. For a plan in stages the rule is also tried on `RANDOM_LOGS` logs of
 * random releases, from pure noise to far above it: whatever it makes of them must stay within the envelope
 * and the total.
 *
 * Time does not depend on the ratings for user-level methods; a plan in stages is followed to its last stage
 * only, or to where nothing is left to plan with, as every line is fixed from there on.
 *
 * @throws RehearsalError
 */
export async function rehearse(
  run: PlannedRun,
  visible: RatingMatrix,
  context: {
    readonly features: readonly FeatureSource[];
    readonly engine: Engine;
    readonly signal?: AbortSignal;
  },
): Promise<Rehearsal> {
  const requests: ReleaseRequest[] = [];
  const attempt = async (recorder: ReleaseRecorder, what: string) => {
    try {
      await executeRun(run, {
        ratings: visible,
        features: context.features,
        engine: context.engine,
        recorder,
        publicSeed: 1,
        coins: strangersCoins,
        ...(context.signal && { signal: context.signal }),
      });
      recorder.finish();
    } catch (error) {
      if (error instanceof LastStageReached) return;
      context.signal?.throwIfAborted();
      throw new RehearsalError(run.method.id, `${(error as Error).message} (${what})`, { cause: error });
    }
  };
  const answers = rehearsalAnswers((request) => requests.push(request));
  await attempt(createAnsweringRecorder(run.plan, answers), 'all releases zero');
  if (run.plan.later !== undefined) {
    const tables = randomTables();
    const memory = new Map<string, Float64Array>();
    for (let log = 0; log < RANDOM_LOGS; log++) {
      const recorder: ReleaseRecorder = createAnsweringRecorder(
        run.plan,
        rehearsalAnswers(
          () => undefined,
          drawsOf(() => recorder.plan, log, tables, memory),
        ),
      );
      await attempt(untilLastStage(recorder), `random releases, log ${log + 1}`);
    }
  }
  return { requests };
}

/** Numbers in a table that draws are taken from; a power of two. */
const TABLE = 1024;

/**
 * Uniform numbers and normal ones, the same for every log: what matters is that they are many and of all
 * sizes, not that they are independent. `powers` is filled anew by each log.
 */
function randomTables() {
  const random = new SeededRandom(1000);
  const uniforms = Float64Array.from({ length: TABLE }, () => random.uniform());
  const normals = Float64Array.from(
    { length: TABLE },
    () => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform()),
  );
  return { uniforms, normals, powers: new Float64Array(TABLE) };
}

/**
 * Releases of log number `log`: noise, and above it sizes that grow from log to log, even or with a few large
 * ones. In the last logs totals, which are releases of one number, stand out and nothing else does much; in
 * every other of these, later stages are noise alone. In the memory of the same release of the log before,
 * whose run is over.
 */
function drawsOf(
  plan: () => PlannedRun['plan'],
  log: number,
  { uniforms, normals, powers }: ReturnType<typeof randomTables>,
  memory: Map<string, Float64Array>,
): (request: ReleaseRequest, length: number) => Float64Array {
  const faint = log - EVEN_LOGS;
  const height = log === 0 ? 0 : faint >= 0 ? 3 + (faint & 1) : 10 ** ((log % 14) / 2 - 1);
  const cubes = faint >= 0 ? 0 : Math.floor(log / 14);
  const total = faint & 2 ? 40 : 20;
  const firstOnly = (faint & 4) > 0;
  for (let k = 0; k < TABLE; k++) {
    const uniform = uniforms[k];
    powers[k] = height * uniform;
    for (let cube = 0; cube < cubes; cube++) powers[k] *= uniform * uniform * uniform;
  }
  let at = log;
  return (request, length) => {
    const { release } = request;
    const { releases, total: staged } = plan();
    const line = releases.findIndex(({ name }) => name === release);
    const noise = releases[line]?.noise || 1;
    const noiseAlone = faint >= 0 && firstOnly && line >= (staged?.firstStage ?? 0);
    const place = placeOf(request);
    const before = memory.get(place);
    const values = before?.length === length ? before : new Float64Array(length);
    memory.set(place, values);
    for (let k = 0; k < values.length; k++) {
      at++;
      const above = faint >= 0 && length === 1 ? total : powers[(at * (1 + (at >>> 10))) & (TABLE - 1)];
      values[k] = noise * (normals[(389 * at) & (TABLE - 1)] + (noiseAlone ? 0 : above));
    }
    return values;
  };
}

class LastStageReached extends Error {}
/**
 * One for all: where it was thrown is of no interest, and a trace of the stack costs as much as a small rule.
 */
const lastStageReached = new LastStageReached();

/** Part of a plan's total that is nothing: no line is as small. */
const NOTHING = 1e-9;

/** Stops a run once it has made all stages its plan declares, or has planned to spend all there is. */
function untilLastStage(recorder: ReleaseRecorder): ReleaseRecorder {
  let made = 0;
  const wrapped = wrapRecorder(recorder, () => ({}));
  return {
    get plan() {
      return wrapped.plan;
    },
    simulation: true,
    begin: (name) => wrapped.begin(name),
    finish: () => wrapped.finish(),
    stage(lines) {
      recorder.stage(lines);
      const { later, total, releases } = recorder.plan;
      const spent = squaredMu(releases) / (total?.mu ?? 0) ** 2;
      if (++made === later?.stages || spent > 1 - NOTHING) throw lastStageReached;
    },
  };
}
