import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trainModel } from '@hushrec/factorize';
import { createEngine, zeroFactors } from '@hushrec/numerics';
import { importSource, openDataset, splitHoldout } from '@hushrec/ratings';
import { byTurns, printTable } from './measure.mjs';

const widths = [32, 64, 128];
/** implicit's own default, and as many for us. */
const sweeps = 15;

/**
 * implicit as it comes, and with the settings that correspond to ours: an unobserved pair weighs 0.3 of an
 * observed one, and of the ridges 10, 30 and 100 the one that ranks best here.
 */
const peerSettings = {
  'implicit, its defaults': {},
  'implicit, our weights': { alpha: 1 + 1 / 0.3, regularization: 30 },
};

/**
 * Mean over people of the share of held-out items among their first 20, items of the training part left out.
 */
async function recallAt20(engine, split, users, items) {
  const { train, test } = split;
  const { indices } = await engine.topK({ rows: users, items, exclude: train.byUser, k: 20 });
  let sum = 0;
  let people = 0;
  const { offsets, indices: held } = test.byUser;
  for (let user = 0; user < users.rowCount; user++) {
    const wanted = new Set(held.subarray(offsets[user], offsets[user + 1]));
    if (wanted.size === 0) continue;
    let hits = 0;
    for (let k = 0; k < 20; k++) if (wanted.has(indices[20 * user + k])) hits++;
    sum += hits / Math.min(20, wanted.size);
    people++;
  }
  return sum / people;
}

/**
 * `ials` against implicit's AlternatingLeastSquares on MovieLens 1M (80/10/10), one thread each: time of a
 * whole training, and Recall@20.
 */
export async function benchmarkIals({ peers, rounds, builds, data }) {
  if (data === undefined) {
    console.log('No training of ials: set HUSHREC_DATA to a folder that holds ml-1m.');
    return undefined;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'hushrec-ials-'));
  const engines = {};
  for (const build of builds) engines[build] = await createEngine({ kernel: build, threads: 1 });
  try {
    await importSource(join(data, 'ml-1m'), join(scratch, 'set'));
    const dataset = await openDataset(join(scratch, 'set'));
    const { ratings } = dataset;
    const split = splitHoldout(dataset, { seed: 1 });
    const { byUser } = split.train;
    peers?.write('offsets.u32', byUser.offsets);
    peers?.write('indices.u32', byUser.indices);
    const rows = [];
    for (const d of widths) {
      const trained = {};
      const cases = { ...ourCases(engines, split, d, trained), ...peerCases(peers, ratings, d, trained) };
      const best = await byTurns(cases, Math.min(rounds, 3));
      const engine = Object.values(engines).at(-1);
      for (const [training, milliseconds] of Object.entries(best)) {
        const [users, items] = await trained[training](engine);
        rows.push({
          training,
          d,
          'processor seconds': milliseconds / 1000,
          ...Object.fromEntries(
            Object.keys(peerSettings).map((peer) => [
              `over ${peer}`,
              best[peer] && milliseconds / best[peer],
            ]),
          ),
          'Recall@20': await recallAt20(engine, split, users, items),
        });
      }
    }
    printTable(
      `ials and implicit on MovieLens 1M (80 % of the ratings, every rating a choice), ${sweeps} sweeps, one thread, least of ${Math.min(rounds, 3)}`,
      rows,
    );
    return rows;
  } finally {
    for (const engine of Object.values(engines)) await engine.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Trainings of `ials` by name, every build with its default solver and the last also with the exact one; what
 * gives the vectors of people and items goes into `trained`.
 */
function ourCases(engines, split, d, trained) {
  const cases = {};
  const builds = Object.keys(engines);
  for (const [build, engine] of Object.entries(engines)) {
    for (const solver of build === builds.at(-1) ? ['cg', 'cholesky'] : ['cg']) {
      const name = `ials, ${solver}, ${build}`;
      cases[name] = async () => {
        const { model } = await trainModel({
          method: 'ials',
          settings: { rank: d, rounds: sweeps, solver },
          ratings: split.train,
          engine,
          epsilon: Infinity,
          delta: 0,
          seed: 1,
        });
        trained[name] = (scoring) => foldedIn(scoring, split, model);
      };
    }
  }
  return cases;
}

/** The same of implicit, which times itself; none without it. */
function peerCases(peers, { userCount, itemCount }, d, trained) {
  if (!peers?.about.implicit) return {};
  const { folder } = peers;
  const matrix = (file, rowCount) => ({
    rowCount,
    width: d,
    data: new Float32Array(readFileSync(join(folder, file)).buffer.slice(0, 4 * rowCount * d)),
  });
  const training = (name, settings) => async () => {
    const more = { d, folder, items: itemCount, iterations: sweeps, settings };
    const milliseconds = await peers.time('implicitFit', more);
    const vectors = [matrix('users.f32', userCount), matrix('items.f32', itemCount)];
    trained[name] = () => vectors;
    return milliseconds;
  };
  return Object.fromEntries(
    Object.entries(peerSettings).map(([name, settings]) => [name, training(name, settings)]),
  );
}

/** People's vectors from their training ratings, as a device computes them. */
async function foldedIn(engine, { train }, model) {
  const items = { rowCount: train.itemCount, width: model.rank, data: model.itemFactors };
  const users = zeroFactors(train.userCount, model.rank);
  const { ridge, ridgeExponent, ridgeCountOffset, unobservedWeight } = model.foldIn;
  const { offsets } = train.byUser;
  await engine.solveRows({
    rows: train.byUser,
    fixed: items,
    out: users,
    ridge: Float32Array.from(
      { length: train.userCount },
      (_, user) => ridge * (offsets[user + 1] - offsets[user] + ridgeCountOffset) ** ridgeExponent,
    ),
    targets: new Float32Array(train.byUser.values.length).fill(1),
    unobservedWeight,
    gramian: await engine.gramian(items),
  });
  return [users, items];
}
