import { type Method, methodById } from '@hushrec/factorize';
import type { Engine } from '@hushrec/numerics';
import {
  type CalibratedPlan,
  createRecorder,
  type DeltaInput,
  type EpsilonInput,
  type ReleaseRecorder,
} from '@hushrec/privacy';
import type { RatingScale } from '@hushrec/ratings';
import { type AuditedMethod, prepareMethod } from './audited-run.js';
import { boundFromScores, type Score } from './bound-from-scores.js';
import { type CanaryKind, neighbours } from './canaries.js';
import { type Claim, claimOf } from './claim.js';
import { logLikelihoodRatio } from './log-likelihood-ratio.js';
import { NoiseLawCheck } from './noise-law-check.js';
import { NoiseIndependenceTest, residualsOf, sharesNoise } from './noise-residuals.js';
import { type AuditPower, powerOfRuns } from './power.js';
import { observing } from './transcript.js';
import { whitenedShift } from './whitened-shift.js';
import type { WidenedClip } from './without-clips.js';

export interface AuditRequest {
  readonly method: string | Method;
  /** On top of small sizes that make runs quick. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly epsilon: EpsilonInput;
  readonly delta: DeltaInput;
  /** Trainings with the canary, and as many without, for each kind of canary. */
  readonly runs: number;
  /** Probability that the stated lower bound is true of a correct mechanism, over all canaries together. */
  readonly confidence: number;
  readonly canaries?: readonly CanaryKind[];
  readonly scale?: RatingScale;
  readonly engine: Engine;
  /**
   * Shows that the audit has power: the method's declared clips are widened until they clip nothing, while
   * plan and noise stay. The report is then of a method that breaks its claim. Throws `NoClipsError` where
   * that cannot be done.
   */
  readonly withoutClips?: boolean;
  /** Where noise comes from; tests plant faults here. */
  readonly makeRecorder?: (plan: CalibratedPlan) => ReleaseRecorder;
  readonly progress?: (update: { stage: string; done: number; total: number }) => void;
  readonly signal?: AbortSignal;
}

export interface AuditCheck {
  readonly name: string;
  /** `null`: there was nothing this check could look at, so it says nothing. */
  readonly ok: boolean | null;
  readonly detail: string;
}

export interface AuditReport {
  readonly method: string;
  /** ε is at least this, with the stated confidence. */
  readonly lowerBound: number;
  readonly confidence: number;
  /** What the plan promises, `null` for a method that promises nothing finite. */
  readonly claimed: number | null;
  readonly delta: DeltaInput;
  /** Trainings that were evaluated. */
  readonly runs: number;
  /** What so many runs could have shown. */
  readonly power: AuditPower;
  /** Nothing contradicts the claim. */
  readonly ok: boolean;
  readonly checks: readonly AuditCheck[];
  /** Clips that were widened on purpose. */
  readonly widenedClips?: readonly WidenedClip[];
}

/** False-alarm probability of each check of the noise, over everything that it looks at. */
const falseAlarm = 1e-7;

/**
 * Trains again and again with and without a planted person, guesses from everything that was released which
 * it was, and turns the success into a lower bound on ε. A correct method stays below its claim with the
 * stated confidence; a fault in clipping, noise or accounting goes above it.
 *
 * The guess is the likelihood ratio of the whole transcript, all rounds, against an attacker who knows
 * everything but whether the canary was there. Two shortcuts make it stronger than any likelihood: a
 * published model that depends on the data beyond the transcript, and noise used twice, give the answer away
 * with certainty.
 *
 * O(canaries × runs) trainings, three for each run (one real, two replays).
 */
export async function auditMethod(request: AuditRequest): Promise<AuditReport> {
  const method = typeof request.method === 'string' ? methodById(request.method) : request.method;
  const scale = request.scale ?? { min: 1, max: 5, step: 1 };
  const kinds = request.canaries ?? (request.withoutClips ? ['far-out'] : ['rare-items', 'far-out']);
  const confidence = 1 - (1 - request.confidence) / kinds.length;
  let lowerBound = 0;
  let claim: Claim | undefined;
  let widened: readonly WidenedClip[] = [];
  const checks: AuditCheck[] = [];
  for (const [at, kind] of kinds.entries()) {
    const trial = await auditCanary(request, method, scale, kind, confidence, (done) =>
      request.progress?.({
        stage: 'runs',
        done: at * 2 * request.runs + done,
        total: kinds.length * 2 * request.runs,
      }),
    );
    claim = trial.claim;
    widened = trial.widened;
    lowerBound = Math.max(lowerBound, trial.lowerBound);
    checks.push(...trial.checks);
  }
  return {
    method: method.id,
    lowerBound,
    confidence: request.confidence,
    claimed: Number.isFinite(claim!.epsilon) ? claim!.epsilon : null,
    delta: request.delta,
    runs: kinds.length * 2 * request.runs,
    power: powerOfRuns(request.runs, claim!, request.delta, confidence),
    ok: checks.every(({ ok }) => ok !== false),
    checks,
    ...(widened.length > 0 && { widenedClips: widened }),
  };
}

interface Trial {
  readonly widened: readonly WidenedClip[];
  readonly claim: Claim;
  readonly lowerBound: number;
  readonly checks: readonly AuditCheck[];
}

async function auditCanary(
  request: AuditRequest,
  method: Method,
  scale: RatingScale,
  kind: CanaryKind,
  confidence: number,
  progress: (done: number) => void,
): Promise<Trial> {
  const { delta, runs, signal } = request;
  const itemCount = 20;
  const audited = prepareMethod({ ...request, method, scale, itemCount });
  const { plan, widened } = audited;
  const claim = claimOf(audited.claimed, delta);
  const pair = neighbours({ kind, unit: plan.unit, relation: plan.relation, scale, items: itemCount });
  const makeRecorder = request.makeRecorder ?? ((each: CalibratedPlan) => createRecorder(each));
  const seen = new Attack();
  for (let run = 0; run < 2 * runs; run++) {
    signal?.throwIfAborted();
    progress(run);
    await attackRun(audited, pair, makeRecorder(plan), run, seen);
  }
  progress(2 * runs);
  const lowerBound = boundFromScores(seen.scores, claim, delta, confidence);
  const checks = checksOf(seen, claim, lowerBound, request).map(({ name, ...rest }) => ({
    name: `${kind}: ${name}`,
    ...rest,
  }));
  return { claim, widened, lowerBound, checks };
}

/** What the runs with and without a canary have shown so far. */
class Attack {
  readonly scores: Score[] = [];
  readonly noiseLaw = new NoiseLawCheck();
  readonly independence = new NoiseIndependenceTest();
  /** Runs whose model depends on data beyond the transcript. */
  offRecord = 0;
  /** How far the canary moved the statistics of a run, in units of noise. */
  largestShift = 0;
}

/** Trains once, with the canary in even runs, and guesses from everything that left whether it was there. */
async function attackRun(
  audited: AuditedMethod,
  pair: ReturnType<typeof neighbours>,
  made: ReleaseRecorder,
  run: number,
  seen: Attack,
): Promise<void> {
  const member = run % 2 === 0;
  const { recorder, transcript } = observing(made);
  const published = await audited.train(member ? pair.withCanary : pair.withoutCanary, recorder, run);
  recorder.finish();
  const { plan } = recorder; // with the lines of later stages
  const withCanary = await audited.replay(pair.withCanary, transcript, run);
  const withoutCanary = await audited.replay(pair.withoutCanary, transcript, run);
  if (withCanary === undefined || withoutCanary === undefined) {
    seen.offRecord++;
    seen.scores.push({ member, score: withCanary === undefined ? -Infinity : Infinity });
    return;
  }
  let score = logLikelihoodRatio(plan, transcript, withCanary.exact, withoutCanary.exact);
  const residualsWith = residualsOf(plan, transcript, withCanary.exact);
  const residualsWithout = residualsOf(plan, transcript, withoutCanary.exact);
  if (withCanary.model !== withoutCanary.model) {
    seen.offRecord++;
    if (published === withCanary.model) score = Infinity;
    if (published === withoutCanary.model) score = -Infinity;
  }
  const [sharedWith, sharedWithout] = [sharesNoise(residualsWith), sharesNoise(residualsWithout)];
  if (sharedWith !== sharedWithout) score = sharedWith ? Infinity : -Infinity;
  seen.scores.push({ member, score });
  seen.noiseLaw.add(plan, transcript, (member ? withCanary : withoutCanary).exact);
  seen.independence.add(member ? residualsWith : residualsWithout);
  seen.largestShift = Math.max(seen.largestShift, whitenedShift(plan, withCanary.exact, withoutCanary.exact));
}

function checksOf(
  { offRecord, noiseLaw, independence, largestShift }: Attack,
  { epsilon, shift }: Claim,
  lowerBound: number,
  { delta, runs }: AuditRequest,
): AuditCheck[] {
  const claimed = Number.isFinite(epsilon) ? `ε = ${shown(epsilon)}` : 'nothing finite';
  const checks: AuditCheck[] = [
    {
      name: 'lower bound',
      ok: lowerBound <= epsilon,
      detail: `ε ≥ ${shown(lowerBound)} shown, ${claimed} claimed at δ = ${delta < 1e-3 ? delta.toExponential() : delta}`,
    },
    {
      name: 'published model follows from the releases',
      ok: offRecord === 0,
      detail:
        offRecord === 0
          ? 'replaying the releases on either data set gives the same model'
          : `in ${offRecord} of ${2 * runs} runs the model depends on data that no release paid for`,
    },
    { name: 'noise has the planned law', ...judgedLaw(noiseLaw) },
    { name: 'noise is independent', ...judgedIndependence(independence) },
  ];
  if (shift !== undefined) {
    checks.push({
      name: 'canary moves the statistics within their bounds',
      ok: largestShift <= shift * (1 + 1e-6),
      detail: `${shown(largestShift)} of at most ${shown(shift)} (in units of noise)`,
    });
  }
  return checks;
}

const shown = (value: number) => Number(value.toPrecision(4));

function judgedLaw(law: NoiseLawCheck): Omit<AuditCheck, 'name'> {
  const worst = law.worst();
  const unseen = law.unseen.length === 0 ? '' : `; not looked at: ${law.unseen.join(', ')}`;
  if (worst === undefined) return { ok: null, detail: `no draws that it could look at${unseen}` };
  return {
    ok: worst.probability >= falseAlarm,
    detail: `${law.draws} draws, furthest from plan: ${worst.what}, ${shown(worst.ratio)} of what is planned, probability ${shown(worst.probability)}${unseen}`,
  };
}

function judgedIndependence(independence: NoiseIndependenceTest): Omit<AuditCheck, 'name'> {
  const worst = independence.worst();
  if (worst === undefined) return { ok: null, detail: 'no two parts of one length with added noise' };
  return {
    ok: worst.probability >= falseAlarm,
    detail: `${independence.pairs} pairs of parts, furthest from it: ${worst.key}, probability ${shown(worst.probability)}`,
  };
}
