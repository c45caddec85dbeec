import { executeRun, type PlannedRun, pluginOf, type Remembering } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import {
  createAnsweringRecorder,
  placeOf,
  type ReleaseRecorder,
  type ReleaseRequest,
  rehearsalAnswers,
  wrapRecorder,
} from '@hushrec/privacy';
import { type FeatureSource, type RatingMatrix, SeededRandom } from '@hushrec/ratings';
import { strangersCoins } from './train-with-twin.js';

/** Random logs on which the rule of a plan in stages is tried. */
export const RANDOM_LOGS = 52;

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

/** What a rehearsal may use besides the run. */
export interface RehearsalContext {
  readonly features: readonly FeatureSource[];
  readonly engine: Engine;
  readonly remember?: Remembering;
  readonly signal?: AbortSignal;
}

/**
 * Tries a run out before it is paid for: on what the unit leaves public, everything released being zero. The
 * record must be the plan, line by line. One execution of the method, whose time does not depend on the
 * ratings for user-level methods.
 *
 * What later stages of a plan ask for follows from releases, which zeros do not stand for. That they cannot
 * overspend is the allocator's doing (`planStage`); that the rules of our own methods stay within their
 * envelope is a property, which `rehearse.test.ts` tests by `tryOnRandomReleases`. Nobody tested a plug-in's,
 * so its rule is tried here, before each run.
 *
 * @throws RehearsalError
 */
export async function rehearse(
  run: PlannedRun,
  visible: RatingMatrix,
  context: RehearsalContext,
): Promise<Rehearsal> {
  const requests: ReleaseRequest[] = [];
  const answers = rehearsalAnswers((request) => requests.push(request));
  await attempt(run, visible, context, createAnsweringRecorder(run.plan, answers), 'all releases zero');
  if (pluginOf(run.method) !== undefined) await tryOnRandomReleases(run, visible, context);
  return { requests };
}

/**
 * Tries the rule of a plan in stages on `RANDOM_LOGS` logs of random releases, from pure noise to far above
 * it: whatever it makes of them must stay within the envelope. Each is followed to its last stage, as every
 * line is fixed from there on. Nothing for plans of one stage.
 *
 * @throws RehearsalError
 */
export async function tryOnRandomReleases(
  run: PlannedRun,
  visible: RatingMatrix,
  context: RehearsalContext,
): Promise<void> {
  if (run.plan.later === undefined) return;
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
    await attempt(run, visible, context, untilLastStage(recorder), `random releases, log ${log + 1}`);
  }
}

async function attempt(
  run: PlannedRun,
  visible: RatingMatrix,
  { features, engine, remember, signal }: RehearsalContext,
  recorder: ReleaseRecorder,
  what: string,
): Promise<void> {
  try {
    const own = { recorder, publicSeed: 1, coins: strangersCoins, ...(signal && { signal }) };
    await executeRun(run, { ratings: visible, features, engine, ...(remember && { remember }), ...own });
    recorder.finish();
  } catch (error) {
    if (error instanceof LastStageReached) return;
    signal?.throwIfAborted();
    throw new RehearsalError(run.method.id, `${(error as Error).message} (${what})`, { cause: error });
  }
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
 * ones. In the memory of the same release of the log before, whose run is over.
 */
function drawsOf(
  plan: () => PlannedRun['plan'],
  log: number,
  { uniforms, normals, powers }: ReturnType<typeof randomTables>,
  memory: Map<string, Float64Array>,
): (request: ReleaseRequest, length: number) => Float64Array {
  const height = log === 0 ? 0 : 10 ** ((log % 14) / 2 - 1);
  const cubes = Math.floor(log / 14);
  for (let k = 0; k < TABLE; k++) {
    const uniform = uniforms[k];
    powers[k] = height * uniform;
    for (let cube = 0; cube < cubes; cube++) powers[k] *= uniform * uniform * uniform;
  }
  let at = log;
  return (request, length) => {
    const { release } = request;
    const noise = plan().releases.find(({ name }) => name === release)?.noise || 1;
    const place = placeOf(request);
    const before = memory.get(place);
    const values = before?.length === length ? before : new Float64Array(length);
    memory.set(place, values);
    for (let k = 0; k < values.length; k++) {
      at++;
      values[k] =
        noise * (normals[(389 * at) & (TABLE - 1)] + powers[(at * (1 + (at >>> 10))) & (TABLE - 1)]);
    }
    return values;
  };
}

class LastStageReached extends Error {}
/**
 * One for all: where it was thrown is of no interest, and a trace of the stack costs as much as a small rule.
 */
const lastStageReached = new LastStageReached();

/** Stops a run once it has made all stages its plan declares. */
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
      if (++made === recorder.plan.later?.stages) throw lastStageReached;
    },
  };
}
