// The rounds of "Can you tell who was in it?" on the page: `node tools/guess-rounds.mjs` writes
// apps/page/src/site/try-it/guess-rounds.json, after a build. Trains `hush` on a generated sample, again and
// again, with and without one invented person, and asks the best attacker each time: one who knows everyone
// else's ratings and hers, sees every number that was released, and lacks one bit, whether she was in it.
// Noise is seeded, so the file is the same at every run.
import { writeFileSync } from 'node:fs';
import { prepareMethod } from '../packages/audit/dist/audited-run.js';
import { logLikelihoodRatio } from '../packages/audit/dist/log-likelihood-ratio.js';
import { observing } from '../packages/audit/dist/transcript.js';
import { methodById, readSettings } from '../packages/factorize/dist/index.js';
import { createEngine } from '../packages/numerics/dist/index.js';
import { createRecorder, peopleCoins, RunSecret } from '../packages/privacy/dist/index.js';
import { generateClassics, ratingMatrixFromTriples, SeededRandom } from '../packages/ratings/dist/index.js';
import { Recommender } from '../packages/recommend/dist/index.js';

const epsilons = [1, 10];
const delta = 1e-6;
/** Rounds of each ε, half of them with her. */
const rounds = 60;
const sample = generateClassics({ users: 1500, items: 341, ratings: 45_000, seed: 9 });
/** What the invented person likes: ghosts, vampires and detectives. */
const likes = [
  ['Dracula', 5],
  ['Nosferatu', 5],
  ['Carmilla', 5],
  ['The Turn of the Screw', 4.5],
  ['The Hound of the Baskervilles', 5],
  ['The Adventures of Sherlock Holmes', 4.5],
  ['Night of the Living Dead', 4],
  ['The Cabinet of Dr. Caligari', 4.5],
  ['Frankenstein', 4.5],
  ['Pride and Prejudice', 1],
];
const itemOf = (name) => {
  const item = sample.itemTitles.findIndex((title) => title.startsWith(`${name} (`));
  if (item < 0) throw new Error(`The sample has no "${name}".`);
  return item;
};

const { ratings } = sample;
/** The sample, and the same with one person more. */
function neighbours() {
  const { offsets, indices, values } = ratings.byUser;
  const users = new Uint32Array(values.length);
  for (let user = 0; user < ratings.userCount; user++) users.fill(user, offsets[user], offsets[user + 1]);
  const all = (more) => {
    const own = more ? likes : [];
    return ratingMatrixFromTriples({
      userCount: ratings.userCount + (more ? 1 : 0),
      itemCount: ratings.itemCount,
      scale: ratings.scale,
      users: Uint32Array.from([...users, ...own.map(() => ratings.userCount)]),
      items: Uint32Array.from([...indices, ...own.map(([name]) => itemOf(name))]),
      ratings: Float32Array.from([...values, ...own.map(([, rating]) => rating)]),
    });
  };
  return { with: all(true), without: all(false) };
}

const method = methodById('hush');
const engine = await createEngine({ kernel: 'simd', threads: 1 });
const data = neighbours();
const made = [];
for (const epsilon of epsilons) {
  const shape = { itemCount: ratings.itemCount, scale: ratings.scale, epsilon, delta, features: [] };
  const asked = { feedback: 'implicit' };
  const settings = readSettings(method.settings, { ...method.suggest?.(shape, asked), ...asked });
  const audited = prepareMethod({ ...shape, method, settings, engine });
  const own = [];
  for (let round = 0; round < rounds; round++) {
    const isIn = round % 2 === 0;
    const { recorder, transcript } = observing(
      createRecorder(audited.plan, { seed: 1000 * epsilon + round }),
    );
    const random = new SeededRandom(round);
    const { model } = await method.train({
      ratings: isIn ? data.with : data.without,
      features: [],
      settings,
      engine,
      recorder,
      random: () => random.uniform(),
      coins: peopleCoins(new RunSecret({ seed: round })),
    });
    recorder.finish();
    const [withHer, withoutHer] = [
      await audited.replay(data.with, transcript, round),
      await audited.replay(data.without, transcript, round),
    ];
    if (withHer === undefined || withoutHer === undefined)
      throw new Error('One data set would not have released the same things.');
    const hint = logLikelihoodRatio(recorder.plan, transcript, withHer.exact, withoutHer.exact);
    const recommender = new Recommender({ model, itemIds: sample.itemIds, titles: sample.itemTitles });
    const list = recommender
      .recommend(
        likes.map(([name, rating]) => ({ id: sample.itemIds[itemOf(name)], rating })),
        { k: 5, reasons: 0 },
      )
      .items.map(({ title }) => title.replace(/ \(\d{4}\)$/, ''));
    own.push({ isIn, hint: Number(hint.toFixed(3)), list });
    process.stderr.write('.');
  }
  const right = own.filter(({ isIn, hint }) => hint > 0 === isIn).length;
  console.error(`\nε = ${epsilon}: the best attacker is right in ${right} of ${rounds}.`);
  made.push({ epsilon, delta, rounds: own });
}
await engine.close();
// Titles once, lists by place.
const titles = [...new Set(made.flatMap(({ rounds: own }) => own.flatMap(({ list }) => list)))];
writeFileSync(
  new URL('../apps/page/src/site/try-it/guess-rounds.json', import.meta.url),
  `${JSON.stringify(
    {
      people: ratings.userCount,
      likes: likes.slice(0, 5).map(([name]) => name),
      titles,
      games: made.map(({ rounds: own, ...game }) => ({
        ...game,
        // One round: 1 where she was in it, the attacker's ln of the likelihood ratio, places in `titles`.
        rounds: own
          .map(({ isIn, hint, list }) =>
            [Number(isIn), hint, ...list.map((title) => titles.indexOf(title))].join(','),
          )
          .join(' '),
      })),
    },
    null,
    2,
  )}\n`,
);
