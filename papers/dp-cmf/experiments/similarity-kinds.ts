import type { Experiment } from '../../harness/experiment.js';
import { simulations } from '../../harness/measure-task.js';
import { loadRealData } from '../../harness/real-data.js';
import { publicCount } from './feature-sources.js';
import { measureSources, type SourceRow, sourceAhead, sourceTable } from './measure-sources.js';
import { publicVectors, setPeopleApart, similarityBy } from './public-people.js';

const measures = ['dot product', 'cosine'] as const;
const kinds = ['scores', 'ones'] as const;
const nameOf = (measure: string, k: number, values: string) => `${measure}, k = ${k}, ${values}`;

/**
 * Curmei et al. 2023, Figure 4: similar items by product or angle, few or many of them, with their scores or
 * as ones.
 */
export const similarityKinds: Experiment = {
  id: 'dp-cmf/similarity',
  title: 'Similarity of items as a public source: by what, how many, and with which values',
  paper: 'Curmei et al. 2023, Figure 4 and §4 (binarized scores)',
  needs: ['ml-1m'],
  minutes: 15,
  quickMinutes: 0.6,
  async run(context) {
    const people = setPeopleApart(await loadRealData(context, 'ml-1m'), publicCount, context.seed);
    const vectors = await publicVectors(context, people);
    const task = { split: people.split, name: `ML-1M without ${publicCount} public people` };
    const sizes = context.quick ? [10, 100] : [10, 30, 100];
    const epsilons = context.quick ? [1] : [1, 5, 20];
    const rows: SourceRow[] = [];
    for (const epsilon of epsilons) {
      for (const measure of measures) {
        for (const k of sizes) {
          for (const values of kinds) {
            const name = nameOf(measure, k, values);
            context.progress(`${name}, ε = ${epsilon}`, rows.length, 12 * epsilons.length);
            const features = [similarityBy(vectors, measure, k, values)];
            rows.push(await measureSources(context, task, { name, features }, epsilon));
          }
        }
      }
    }
    const [few, many] = [sizes[0], sizes[sizes.length - 1]];
    const ahead = (what: string, better: string, worse: string, epsilon: number, on?: 'rarest') =>
      sourceAhead(rows, what, better, worse, epsilon, on);
    return {
      findings: epsilons.flatMap((epsilon) => [
        ...measures.map((measure) =>
          ahead(
            `${measure}: ${many} similar items beat ${few}`,
            nameOf(measure, many, 'scores'),
            nameOf(measure, few, 'scores'),
            epsilon,
          ),
        ),
        ahead(
          'similarity by dot product beats cosine',
          nameOf('dot product', many, 'scores'),
          nameOf('cosine', many, 'scores'),
          epsilon,
        ),
        ahead(
          'cosine beats dot product',
          nameOf('cosine', many, 'scores'),
          nameOf('dot product', many, 'scores'),
          epsilon,
          'rarest',
        ),
        ...measures.map((measure) =>
          ahead(
            `${measure}: scores beat ones`,
            nameOf(measure, many, 'scores'),
            nameOf(measure, many, 'ones'),
            epsilon,
          ),
        ),
      ]),
      guarantee: `${publicCount} people are taken as public and are promised nothing; the others are protected. ${simulations}`,
      sections: [{ heading: 'RMSE by kind of similarity', table: sourceTable(rows) }],
    };
  },
};
