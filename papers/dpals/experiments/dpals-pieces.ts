import type { Finding } from '../../harness/experiment.js';
import { type Measured, rowOf } from '../../harness/measure-task.js';
import { ablation, aheadAt } from './on-ml-1m.js';

/**
 * Chien et al. 2021, Algorithm 1, line 14: people fit their vectors to 1/T of their ratings, drawn anew in
 * every round.
 */
export const ownSample = ablation({
  id: 'dpals/line-14',
  title: 'People’s own vectors from all their ratings, or from 1/T of them',
  paper: 'Chien et al. 2021, Algorithm 1, line 14 (left out in their experiments)',
  minutes: 1.5,
  quickMinutes: 0.2,
  epsilons: [1, 20],
  contestants: [
    { id: 'dpals', name: 'all own ratings', settings: { rounds: 4 } },
    { id: 'dpals', name: '1/T of them', settings: { rounds: 4, ownShare: 0.25 } },
  ],
  findings: (rows) =>
    [1, 20].map((epsilon) =>
      aheadAt(rows, 'leaving line 14 out helps', 'all own ratings', '1/T of them', epsilon, {
        note: 'T = 4',
      }),
    ),
});

const directions = ['noisy power steps', 'Analyze Gauss'];

/** “Random initialization has worked well”: RMSE at most 1 % above that of the best start. */
function worksWell(rows: readonly Measured[], epsilon: number): Finding {
  const [random, ...others] = ['random', ...directions].map((name) => rowOf(rows, name, epsilon));
  const measured = random.mean / Math.min(random.mean, ...others.map(({ mean }) => mean)) - 1;
  return {
    what: `ε = ${epsilon}: RMSE of a random start above that of the best start, as a share of it`,
    measured,
    holds: random.runs < 2 ? null : measured <= 0.01,
    note: `at most 0.01 is “well”; ${random.runs} runs`,
  };
}

/**
 * Chien et al. 2021, Remark 2: a start from the private principal directions of the ratings, as the analysis
 * asks for.
 */
export const firstDirections = ablation({
  id: 'dpals/start',
  title: 'Where DPALS begins: at random, by noisy power steps, or by Analyze Gauss',
  paper: 'Chien et al. 2021, §3.1 and Remark 2',
  minutes: 6,
  quickMinutes: 0.3,
  epsilons: [1, 20],
  contestants: [
    { id: 'dpals', name: 'random' },
    { id: 'dpals', name: 'noisy power steps', settings: { initialization: 'private-svd' } },
    { id: 'dpals', name: 'Analyze Gauss', settings: { initialization: 'analyze-gauss' } },
  ],
  findings: (rows) =>
    [1, 20].flatMap((epsilon) => [
      worksWell(rows, epsilon),
      ...directions.map((start) =>
        aheadAt(rows, `${start} beat a random start`, start, 'random', epsilon, {
          note: 'a fifth of the budget goes to the start',
        }),
      ),
    ]),
});
