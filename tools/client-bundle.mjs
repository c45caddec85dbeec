// The client library for pages, wherever it is bundled: what few models need (losses, lists of neighbours,
// averages), and what hardly ever happens, is a file of its own, which is loaded on demand.
import { build } from 'esbuild';

const rareFile = './hushrec-rare-models.js';

const onDemand = `let rare;
const load = async () => (rare ??= await import('${rareFile}'));
const later = (name) => (...given) => {
  if (!rare) throw new Error('Open this model by openModel.');
  return rare[name](...given);
};
export const convexFoldIn = later('convexFoldIn');
export const neighbourScorer = later('neighbourScorer');
export const baselineScorer = later('baselineScorer');
export const prepareModel = async ({ loss, kind }) => {
  if (loss || kind !== 'factors') await load();
};
export const fetchAgain = async (...given) => (await load()).fetchAgain(...given);
export const similar = async (...given) => (await load()).similar(...given);`;

/** A plugin of the bundler for the client's own file. */
export function rareModelsOnDemand() {
  return {
    name: 'rare models on demand',
    setup(bundler) {
      const filter =
        /^\.\/(convex-fold-in|neighbour-scorer|baseline-scorer|prepare-model|fetch-again|similar)\.js$/;
      bundler.onResolve({ filter }, () => ({ path: 'rare', namespace: 'on-demand' }));
      bundler.onResolve({ filter: /^\.\/hushrec-rare-models\.js$/ }, ({ path }) => ({
        path,
        external: true,
      }));
      bundler.onLoad({ filter: /.*/, namespace: 'on-demand' }, () => ({ contents: onDemand, loader: 'js' }));
    },
  };
}

/** Writes the file that is loaded on demand into `folder`, from the built package. */
export async function bundleRareModels(root, folder, options) {
  await build({
    ...options,
    stdin: {
      contents: `export { convexFoldIn } from './convex-fold-in.js';
export { neighbourScorer } from './neighbour-scorer.js';
export { baselineScorer } from './baseline-scorer.js';
export { fetchAgain } from '../../../apps/page/dist/fetch-again.js';
export { similar } from '../../../apps/page/dist/similar.js';`,
      resolveDir: `${root}/packages/recommend/dist`,
    },
    outfile: `${folder}/${rareFile.slice(2)}`,
  });
}
