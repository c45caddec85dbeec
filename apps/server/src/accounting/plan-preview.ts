import { methodById, planRun, settingsForFeedback, trainingScale } from '@hushrec/factorize';
import { guaranteeSentences } from '@hushrec/model';
import type { PlanPreview } from '@hushrec/page/contract';
import { chargedEvent } from '@hushrec/privacy';
import type { DatasetEntry } from '../catalogue/dataset-catalogue.js';
import { ProblemError } from '../problem.js';
import type { RunRequest } from '../state/run.js';
import { budgetWith, hasGrant } from './ledger-view.js';

export type { PlanPreview };

/** Plans a run; refuses with a reason that a person can act on. Reads no rating and spends nothing. */
export async function planPreview(
  dataset: DatasetEntry,
  request: Omit<RunRequest, 'model' | 'evaluate' | 'recordUnprotected' | 'publishFrom'>,
  ledger: string | undefined,
): Promise<PlanPreview> {
  const { manifest } = dataset;
  try {
    const scale = trainingScale(manifest.scale, request.liked);
    const { method, plan, settings } = planRun({
      method: request.method,
      settings: settingsForFeedback(methodById(request.method), scale, request.settings),
      refusesIdle: true,
      itemCount: manifest.items,
      scale,
      epsilon: request.epsilon ?? Infinity,
      delta: request.delta ?? 0,
    });
    const isGuaranteed = Number.isFinite(plan.epsilon);
    const charge = { kind: 'event', event: chargedEvent(plan) } as const;
    const protection = { unit: plan.unit, relation: plan.relation };
    const budget = isGuaranteed ? await budgetWith(dataset, ledger, charge, protection, plan.delta) : null;
    return {
      method: method.id,
      title: method.title,
      unit: isGuaranteed ? plan.unit : 'none',
      relation: isGuaranteed ? plan.relation : 'none',
      epsilon: isGuaranteed ? plan.epsilon : null,
      delta: plan.delta,
      accountant: plan.accountant,
      words: guaranteeSentences(plan),
      releases: plan.releases.map(({ name, mechanism, sensitivity, noise, count }) => ({
        name,
        mechanism: mechanism.kind,
        sensitivity,
        noise,
        count,
      })),
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
    throw error;
  }
}

const callersErrors = new Set([
  'NoGuaranteeError',
  'CalibrationError',
  'ReleasePlanError',
  'UnsupportedEventError',
  'SettingsError',
]);
