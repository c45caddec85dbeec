import type { PlannedRun } from '@hushrec/factorize';
import { type ModelManifest, modelFormat, type PublishedMemory, type RatingRange } from '@hushrec/model';
import { contentDigest, type RatingScale } from '@hushrec/ratings';
import type { OpenedSource, TrainAndPublishRequest } from '../training-request.js';
import type { RunToCertify } from './certificate-of-run.js';

/** What a run was planned as, and what it was made with. */
export interface RunConditions extends Pick<PlannedRun, 'method' | 'settings'> {
  /** Seed of the public start. */
  readonly publicSeed: number;
  readonly kernel: string;
  readonly memory?: PublishedMemory;
}

/**
 * What is published beside the numbers of a model: its method and items, and all that is needed to make it
 * again from its releases.
 */
export function manifestOfRun(
  request: TrainAndPublishRequest,
  opened: OpenedSource,
  { model, facts, record }: Omit<RunToCertify, 'seen'>,
  { method, settings, publicSeed, kernel, memory }: RunConditions,
): ModelManifest {
  const { source, epsilon, delta, accounting, declaredPeople, codeVersion } = request;
  // Who is in the data is public where a unit smaller than a person is protected.
  const listsPeople = method.protects.length > 0 && record.plan.unit !== 'user';
  return {
    format: modelFormat(model),
    method: method.id,
    settings,
    ...(model.feedback === 'explicit' && { scale: rangeOf(source.scale) }),
    ...opened.items,
    versions: { hushrec: codeVersion },
    run: {
      epsilon: Number.isFinite(epsilon) ? epsilon : null,
      delta,
      accounting: accounting ?? 'exact',
      ...(declaredPeople !== undefined && { declaredPeople }),
      scale: rangeOf(source.scale),
      publicSeed,
      kernel,
      node: process.versions.node.split('.')[0],
      sources: opened.features.map((each) => ({
        name: each.name,
        kind: each.kind,
        sha256: contentDigest(each),
      })),
      ...(listsPeople && 'ratings' in opened && { listedPeople: opened.ratings.userCount }),
      ...(source.trainedOn && { trainedOn: source.trainedOn }),
      ...(memory && { memory }),
    },
    ...(facts && { facts }),
  };
}

function rangeOf({ min, max, step }: RatingScale): RatingRange {
  return { min, max, step };
}
