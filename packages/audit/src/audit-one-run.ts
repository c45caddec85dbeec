import { randomInt } from 'node:crypto';
import { methodById } from '@hushrec/factorize';
import { createRecorder } from '@hushrec/privacy';
import type { AuditReport, AuditRequest } from './audit-method.js';
import { prepareMethod } from './audited-run.js';
import { manyCanaries } from './canaries.js';
import { claimOf } from './claim.js';
import { logLikelihoodRatio } from './log-likelihood-ratio.js';
import { oneRunLowerBound } from './one-run-bound.js';
import { powerOfOneRun } from './power.js';
import { observing, type Transcript } from './transcript.js';

export interface OneRunRequest extends Omit<AuditRequest, 'runs' | 'canaries' | 'withoutClips'> {
  /** Planted people, each in with probability ½ on its own. */
  readonly canaries: number;
  /**
   * Guesses to make, for the canaries that look clearest; half of them unless given. Fixed before the run.
   */
  readonly guesses?: number;
  readonly kind?: 'rare-items' | 'far-out';
}

/** The report of one run: `runs` is 1, and the guesses are told. */
export interface OneRunReport extends AuditReport {
  readonly canaries: number;
  readonly guesses: number;
  readonly correct: number;
}

/**
 * Trains once with many planted people, guesses for each whether it was in, and bounds ε from the number of
 * right guesses (Steinke, Nasr and Jagielski 2023). Weaker than many runs at the same ε, but it needs one
 * training, so it also fits methods and sizes where thousands of trainings are out of reach. User-level
 * methods only: a canary is a person.
 *
 * The score of a canary is the likelihood ratio of the transcript between the data with it alone and with
 * none. O(canaries) replays.
 */
export async function auditOneRun(request: OneRunRequest): Promise<OneRunReport> {
  const { delta, confidence, canaries, kind = 'rare-items', signal } = request;
  const guesses = request.guesses ?? Math.ceil(canaries / 2);
  const method = typeof request.method === 'string' ? methodById(request.method) : request.method;
  const scale = request.scale ?? { min: 1, max: 5, step: 1 };
  const data = manyCanaries(kind, canaries, scale);
  const audited = prepareMethod({ ...request, method, scale, itemCount: data.itemCount });
  const { plan } = audited;
  if (plan.unit !== 'user' || plan.relation !== 'add-remove')
    throw new RangeError(
      `An audit in one run plants whole people; ${method.id} protects ${plan.unit}. Use many runs.`,
    );

  const included = Array.from({ length: canaries }, () => randomInt(2) === 1);
  const { recorder, transcript } = observing((request.makeRecorder ?? createRecorder)(plan));
  await audited.train(data.with([...included.keys()].filter((canary) => included[canary])), recorder, 0);
  recorder.finish();
  const exactOf = async (present: readonly number[]): Promise<Transcript | undefined> =>
    (await audited.replay(data.with(present), transcript, 0))?.exact;
  const nobody = await exactOf([]);
  const scores: number[] = [];
  for (let canary = 0; canary < canaries; canary++) {
    signal?.throwIfAborted();
    request.progress?.({ stage: 'guesses', done: canary, total: canaries });
    const alone = await exactOf([canary]);
    scores.push(alone && nobody ? logLikelihoodRatio(recorder.plan, transcript, alone, nobody) : 0);
  }
  const clearest = [...scores.keys()]
    .sort((a, b) => Math.abs(scores[b]) - Math.abs(scores[a]))
    .slice(0, guesses);
  const correct = clearest.filter((canary) => scores[canary] > 0 === included[canary]).length;
  const lowerBound = oneRunLowerBound({ canaries, guesses, correct }, delta, confidence);
  const claim = claimOf(plan, delta);
  const ok = lowerBound <= claim.epsilon;
  return {
    method: method.id,
    lowerBound,
    confidence,
    claimed: Number.isFinite(claim.epsilon) ? claim.epsilon : null,
    delta,
    runs: 1,
    power: powerOfOneRun(canaries, guesses, claim, delta, confidence),
    ok,
    canaries,
    guesses,
    correct,
    checks: [
      {
        name: `${kind}: lower bound from one run`,
        ok,
        detail: `${correct} of ${guesses} guesses right: ε ≥ ${lowerBound.toPrecision(4)} shown, ${claim.epsilon.toPrecision(4)} claimed`,
      },
    ],
  };
}
