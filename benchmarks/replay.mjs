// What the second run and the rehearsal cost beside training itself: `hush`, data like MovieLens 1M, one
// thread.
import { executeRun, planRun } from '../packages/factorize/dist/index.js';
import { createEngine } from '../packages/numerics/dist/index.js';
import { peopleCoins, RunSecret } from '../packages/privacy/dist/index.js';
import { generateCatalogue } from '../packages/ratings/dist/index.js';
import { publicPart } from '../packages/train/dist/replay/public-part.js';
import { rehearse } from '../packages/train/dist/replay/rehearse.js';
import { trainWithTwin } from '../packages/train/dist/replay/train-with-twin.js';
import { byTurns, printTable } from './measure.mjs';

const shapes = [
  { users: 6040, items: 3706, ratings: 1_000_000 },
  { users: 12_080, items: 3706, ratings: 2_000_000 },
];

export async function benchmarkReplay({ rounds }) {
  const rows = [];
  for (const shape of shapes) {
    const { ratings } = generateCatalogue({ ...shape, seed: 1 });
    const engine = await createEngine({ kernel: 'simd', threads: 1 });
    const twinEngine = await createEngine({ kernel: 'simd', threads: 1 });
    const secret = new RunSecret({ seed: 1 });
    const plan = () =>
      planRun({
        method: 'hush',
        itemCount: ratings.itemCount,
        scale: ratings.scale,
        epsilon: 1,
        delta: 1e-6,
        noise: { secret },
      });
    const input = {
      ratings,
      features: [],
      engine,
      publicSeed: 1,
      coins: peopleCoins(secret),
    };
    const times = await byTurns(
      {
        training: async () => {
          const run = plan();
          await executeRun(run, { ...input, recorder: run.recorder });
        },
        rehearsal: async () => {
          const run = plan();
          const visible = publicPart(ratings, run.plan.unit);
          await rehearse(run, visible, { features: [], engine: twinEngine });
        },
        'training with its twin': async () => {
          await trainWithTwin(plan(), { ...input, twinEngine });
        },
      },
      // The twin's time is a small difference of two large ones.
      4 * rounds,
    );
    await engine.close();
    await twinEngine.close();
    const extra = times.rehearsal + times['training with its twin'] - times.training;
    rows.push({
      ratings: ratings.byUser.values.length,
      'training, CPU ms': times.training,
      'rehearsal, CPU ms': times.rehearsal,
      'with its twin, CPU ms': times['training with its twin'],
      'extra, %': (100 * extra) / times.training,
    });
  }
  printTable('Replay and rehearsal of hush, one thread, processor time', rows);
  return rows;
}
