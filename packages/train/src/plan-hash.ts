import { createHash } from 'node:crypto';
import type { PlannedRun } from '@hushrec/factorize';
import { costOf, type PlannedCost, type Protection } from '@hushrec/ledger';
import { canonicalJson } from '@hushrec/model/signing';
import { contentDigest } from '@hushrec/ratings';
import type { Shown, TrainingSource } from './training-request.js';

/** What a plan is made for: public, all of it. Of the data its public part, never anyone's ratings. */
export interface PlannedFor {
  readonly source: Omit<TrainingSource, 'account' | 'identity' | 'open'> & {
    readonly account: { readonly id: string };
  };
  readonly simulation: boolean;
  /** As a guarantee may rest on it, and certificates state it. */
  readonly declaredPeople?: number | undefined;
  /** Whether the releases are published too. */
  readonly withReleases?: boolean | undefined;
  /** Name of the model folder to write. */
  readonly model: string;
  /** SHA-256 of the memory that the run goes on from. */
  readonly memory?: string;
}

/**
 * SHA-256 over everything that a plan promises and costs, and to whom: data set, account, goal, a declared
 * catalogue and features by their content, method, settings, each planned release with its noise, ε, δ, what
 * is charged, declared people, real or simulated, what is published and under which name. It follows from
 * public values alone, so it tells nothing about anyone. Whoever was shown a plan starts the run with its
 * hash, and a run whose own plan has another one is refused before the charge.
 */
export function planHash(
  {
    method,
    settings,
    plan,
  }: Pick<PlannedRun, 'settings' | 'plan'> & {
    readonly method: Pick<PlannedRun['method'], 'id'>;
  },
  { source, simulation, declaredPeople, withReleases, model, memory }: PlannedFor,
): string {
  const isCharged = Number.isFinite(plan.epsilon);
  const shown = {
    format: 'hushrec-plan-1',
    data: {
      name: source.name ?? null,
      account: source.account.id,
      items: source.itemCount,
      scale: source.scale,
      part: source.trainedOn ?? null,
      catalogue: source.catalogue,
      ...(source.items && { listed: contentDigest(source.items) }),
      features: source.features.map(contentDigest),
    },
    method: method.id,
    settings,
    plan: isCharged ? plan : null,
    charge: isCharged ? costOf({ plan }) : null,
    people: declaredPeople ?? null,
    simulation,
    withReleases: withReleases === true,
    model,
    ...(memory !== undefined && { memory }),
  };
  return hashOf(shown);
}

/** What is paid for besides training: a figure, a party's share of a run, choosing among runs. */
export interface PlannedWork {
  readonly account: string;
  readonly method: string;
  readonly protection: Protection;
  readonly cost: PlannedCost;
  /** What decides the numbers besides: public. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** The like of `planHash` for other work than a training. */
export function workHash({ account, method, protection, cost, settings = {} }: PlannedWork): string {
  const { unit, relation } = protection;
  const charge = costOf(cost);
  return hashOf({ format: 'hushrec-work-1', account, method, unit, relation, charge, settings });
}

/** Shows a plan, and refuses the run unless it is the one that was agreed to. */
export function agreeOn<Told>(told: Told & { readonly hash: string }, { show }: Shown<Told>): void {
  refuseOther(show(told), told.hash);
}

/** @throws OtherPlanError */
export function refuseOther(agreed: string, own: string): void {
  if (agreed !== own) throw new OtherPlanError(agreed, own);
}

function hashOf(shown: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(canonicalJson(shown)).digest('hex');
}

/** The run is not the one whose plan was shown. Nothing was charged, and no rating was read. */
export class OtherPlanError extends Error {
  override readonly name = 'OtherPlanError';
  readonly kind = 'privacy';
  constructor(shown: string, own: string) {
    super(
      `This run’s plan is not the one that was shown: its hash is ${own}, that of the one shown ${shown}. Nothing was charged. Look at the plan again, and start the run with its hash.`,
    );
  }
}
