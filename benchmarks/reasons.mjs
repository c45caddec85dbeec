// Whether reasons are true: of random histories, how often the first reason of the first item lifts it more
// than the average item (what is predicted with that rating in the history, less what is predicted without
// it), and how many lists are the same for the opposite history. Predicted stars that are cut off at the end
// of the scale say nothing of a lift, and are left out.
//
//   node benchmarks/reasons.mjs <model folder> … [--histories 300] [--ratings 10]
import { parseArgs } from 'node:util';
import { readModelFolder } from '@hushrec/model/folder';
import { SeededRandom } from '@hushrec/ratings';
import { Recommender, recommendable } from '@hushrec/recommend';

const { values: asked, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    histories: { type: 'string', default: '300' },
    ratings: { type: 'string', default: '10' },
  },
});

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function measure(published) {
  const { itemIds, run } = published.manifest;
  const scale = published.manifest.scale ?? run.scale;
  const grades = Math.round((scale.max - scale.min) / scale.step) + 1;
  const recommender = new Recommender(recommendable(published));
  const random = new SeededRandom(1);
  const below = (count) => Math.floor(count * random.uniform());
  const counts = { personal: 0, same: 0, reasons: 0, right: 0 };
  for (let at = 0; at < Number(asked.histories); at++) {
    const chosen = new Set();
    while (chosen.size < Number(asked.ratings)) chosen.add(itemIds[below(itemIds.length)]);
    const history = [...chosen].map((id) => ({ id, rating: scale.min + scale.step * below(grades) }));
    const opposite = history.map(({ id, rating }) => ({ id, rating: scale.min + scale.max - rating }));
    const { basis, items } = recommender.recommend(history);
    if (basis !== 'history') continue;
    counts.personal++;
    const listed = (list) => list.items.map(({ id }) => id).join();
    if (listed({ items }) === listed(recommender.recommend(opposite))) counts.same++;
    const [first] = items;
    if (first.because.length === 0) continue;
    const rest = history.filter(({ id }) => id !== first.because[0].id);
    const isCutOff = (own) =>
      published.model.feedback === 'explicit' &&
      [scale.min, scale.max].includes(recommender.predict(own, first.id));
    if (isCutOff(history) || isCutOff(rest)) continue;
    counts.reasons++;
    const lift = (id) => recommender.predict(history, id) - recommender.predict(rest, id);
    if (lift(first.id) > mean(itemIds.map(lift))) counts.right++;
  }
  return counts;
}

console.log(
  '| model | personal lists | the same for the opposite history | with a reason to test | of these, right |\n|--- | --- | --- | --- | --- |',
);
for (const folder of folders) {
  const { personal, same, reasons, right } = measure(await readModelFolder(folder));
  const share = reasons > 0 ? (right / reasons).toFixed(3) : 'none';
  console.log(`| ${[folder, personal, same, reasons, share].join(' | ')} |`);
}
