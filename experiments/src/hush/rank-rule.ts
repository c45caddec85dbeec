import type { Experiment, ExperimentContext, Finding } from '../experiment.js';
import type { Clustered } from '../generated-clusters.js';
import { type Contestant, measureAll, nearly, rowOf, simulations } from '../measure-task.js';
import {
  amazonRatings,
  filmTrustRatings,
  generatedClusters,
  generatedShape,
  ml1mFewPeople,
  ml100kRatings,
  type Task,
} from '../tasks.js';
import { onValidation } from './on-validation.js';
import { familyShapes, learnedShapes } from './sets.js';

/** What the rule chooses, fixed; and what it scales, larger and smaller than its default. */
const alternatives: readonly Contestant[] = [
  { name: 'no vectors', settings: { vectors: false } },
  ...[2, 4, 5, 6, 8, 12, 16, 24].map((rank) => ({ name: `rank ${rank}`, settings: { rank } })),
  ...[0.15, 0.3, 0.5, 0.8].map((effectShare) => ({
    name: `effectShare ${effectShare}`,
    settings: { effectShare },
  })),
  ...[0.25, 0.6].map((vectorBound) => ({ name: `vectorBound ${vectorBound}`, settings: { vectorBound } })),
  ...[0.2, 0.8].map((effectBound) => ({ name: `effectBound ${effectBound}`, settings: { effectBound } })),
  ...[0.15, 0.4].map((weightExponent) => ({
    name: `weightExponent ${weightExponent}`,
    settings: { weightExponent },
  })),
].map((each) => ({ id: 'hush', ...each }));

/** Many people who keep to kinds of items of their own: more directions are told than elsewhere. */
const clusters: Readonly<Record<string, Clustered>> = {
  '30 clusters, 1 to 5': {
    people: 20_000,
    items: 2000,
    each: 40,
    clusters: 30,
    steepness: 0.7,
    loyalty: 0.7,
    mean: 0.65,
    scale: { min: 1, max: 5, step: 1 },
    seed: 91,
  },
  '20 clusters, 1 to 10': {
    people: 60_000,
    items: 1000,
    each: 25,
    clusters: 20,
    steepness: 0.7,
    loyalty: 0.6,
    mean: 0.6,
    scale: { min: 1, max: 10, step: 1 },
    seed: 92,
  },
};

/** Data on which the rule was made. */
async function tasks(context: ExperimentContext): Promise<Task[]> {
  const generated = Object.entries(learnedShapes)
    .filter(([, shape]) => shape.scale !== undefined)
    .map(([name, shape]) => generatedShape(name, shape, context));
  if (context.quick) return generated.slice(0, 2);
  const family = familyShapes(16).map((shape) =>
    generatedShape(
      `${shape.people} × ${shape.items}, ${shape.each} each, steepness ${shape.steepness}, mean ${shape.mean}`,
      shape,
      context,
    ),
  );
  return [
    ...generated,
    ...family,
    ...Object.entries(clusters).map(([name, recipe]) => generatedClusters(name, recipe, context)),
    await ml1mFewPeople(context, 1500),
    await ml100kRatings(context),
    await filmTrustRatings(context),
    await amazonRatings(context),
  ];
}

/**
 * How far the rule is from the best that can be found around it, on validation of data on which it was made.
 */
export const rankRule: Experiment = {
  id: 'hush/rank-rule',
  title: 'The rule by which hush divides its budget on ratings, on the data it was made on',
  paper: 'this project, docs/hush.md',
  needs: ['ml-1m', 'ml-100k', 'filmtrust', 'amazon-instant-video'],
  minutes: 60,
  async run(context) {
    const epsilons = [1, 5, 20];
    const findings: Finding[] = [];
    for (const task of (await tasks(context)).map(onValidation)) {
      const rows = await measureAll(
        context,
        task,
        [{ id: 'hush', name: 'rule' }, ...alternatives],
        epsilons,
        context.quick ? 2 : 4,
      );
      for (const epsilon of epsilons) {
        const own = rowOf(rows, 'rule', epsilon);
        const best = rows
          .filter((row) => nearly(epsilon, row.epsilon))
          .reduce((a, b) => (b.mean < a.mean ? b : a));
        const loss = own.mean / best.mean - 1;
        findings.push({
          what: `${task.name}, ε = ${epsilon}: part of RMSE lost by the rule (at most 0.01)`,
          measured: loss,
          holds: loss <= 0.01,
          note: `rule ${own.mean.toFixed(4)} ± ${own.error.toFixed(4)}, best ${best.mean.toFixed(4)} with ${best.name}; the best of ${alternatives.length + 1} is partly luck`,
        });
      }
    }
    return { findings, guarantee: simulations, sections: [] };
  },
};
