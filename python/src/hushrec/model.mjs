// Answers for one model until its input ends: a line of JSON in, a line of JSON out. The model is read once.
import { createInterface } from 'node:readline';
import { openModel, readModelFolder, similar } from './node/bundle/index.js';

let published;
let recommender;
const answers = {
  async open({ folder }) {
    published = await readModelFolder(folder);
    recommender = await openModel(published);
    const { certificate, manifest, model } = published;
    return {
      certificate,
      manifest: { ...manifest, itemIds: undefined, titles: undefined },
      feedback: model.feedback,
    };
  },
  items: () => ({ ids: published.manifest.itemIds, titles: published.manifest.titles ?? [] }),
  recommend: ({ history, options }) => recommender.recommend(history, options),
  similar: ({ item, options }) => similar(published, item, options),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...request } = JSON.parse(line);
  let answer;
  try {
    answer = { answer: await answers[ask](request) };
  } catch (error) {
    answer = { error: error.message, kind: error.kind ?? (error.code === 'ENOENT' ? 'data' : 'failed') };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
