import { basename } from 'node:path';
import {
  goalOf,
  likesForGoal,
  methodById,
  planRun,
  settingsForFeedback,
  trainingScale,
} from '@hushrec/factorize';
import { costOf } from '@hushrec/ledger';
import { guaranteeSentences } from '@hushrec/model/words';
import type { PlanPreview, PlanRequest } from '@hushrec/page/contract';
import type { CalibratedPlan } from '@hushrec/privacy';
import { BadDataError, type PublicPart, readPublicPart } from '@hushrec/ratings';
import { loadPapers } from '@hushrec/train/load-papers';
import { planHash } from '@hushrec/train/plan-hash';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { ProblemError } from '../problem.js';
import { budgetWith, hasGrant } from './ledger-view.js';

export type { PlanPreview };

/** Plans a run; refuses with a reason that a person can act on. Reads no rating and spends nothing. */
export async function planPreview(
  dataset: DatasetEntry,
  request: PlanRequest,
  ledger: string | undefined,
): Promise<PlanPreview> {
  const { manifest } = dataset;
  await loadPapers();
  try {
    const known = await readPublicPart(dataset.path, manifest);
    const { method, scale, liked, run } = plannedRun(manifest, known, request);
    const { plan, settings } = run;
    const isGuaranteed = Number.isFinite(plan.epsilon);
    const { unit, relation } = plan;
    const budget = isGuaranteed
      ? await budgetWith(dataset, ledger, costOf({ plan }), { unit, relation }, plan.delta)
      : null;
    const source = {
      name: basename(dataset.path),
      account: manifest.account,
      itemCount: manifest.items,
      scale,
      ...known,
      ...(liked !== undefined && { trainedOn: { liked } }),
    };
    return {
      hash: planHash(run, { source, simulation: false, model: request.model }),
      method: method.id,
      title: method.title,
      ...(isGuaranteed
        ? { unit, relation, epsilon: plan.epsilon }
        : { unit: 'none', relation: 'none', epsilon: null }),
      delta: plan.delta,
      accountant: plan.accountant,
      words: guaranteeSentences(plan),
      releases: shownReleases(plan.releases),
      settings: { ...settings },
      budget,
      isUnprotected: isGuaranteed
        ? budget !== null && budget.granted !== null && budget.spent !== null && budget.after === null
        : await hasGrant(dataset, ledger),
    };
  } catch (error) {
    if (error instanceof RangeError || (error instanceof Error && callersErrors.has(error.name))) {
      throw new ProblemError(400, 'This run is not possible.', error.message);
    }
    if (error instanceof BadDataError)
      throw new ProblemError(
        409,
        'This data set cannot be read.',
        error.message.replaceAll(dataset.path, dataset.id),
      );
    throw error;
  }
}

function plannedRun(manifest: DatasetEntry['manifest'], { features }: PublicPart, request: PlanRequest) {
  const { epsilon, delta = usualDelta } = request;
  const method = methodById(request.method);
  const liked = likesForGoal(method, manifest.scale, request);
  const scale = trainingScale(manifest.scale, liked);
  const goal = goalOf(method, request, request.settings);
  const isPrivate = method.protects.length > 0;
  if (isPrivate && epsilon === undefined)
    throw new RangeError(`${method.id} is a private method: give epsilon (usual values: 0.1 to 10).`);
  const run = planRun({
    method,
    settings: settingsForFeedback(method, scale, request.settings, goal),
    refusesIdle: true,
    itemCount: manifest.items,
    scale,
    features,
    epsilon: epsilon ?? Infinity,
    delta: isPrivate ? delta : 0,
  });
  return { method, scale, liked, run };
}

function shownReleases(releases: CalibratedPlan['releases']): PlanPreview['releases'] {
  return releases.map(({ name, mechanism, sensitivity, noise, count }) => ({
    name,
    mechanism: mechanism.kind,
    sensitivity,
    noise,
    count,
  }));
}

/** As `hushrec train` has it. */
const usualDelta = 1e-6;

const callersErrors = new Set([
  'NoGuaranteeError',
  'CalibrationError',
  'ReleasePlanError',
  'UnsupportedEventError',
  'SettingsError',
]);
