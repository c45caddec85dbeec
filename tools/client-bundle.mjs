// The client library for pages, wherever it is bundled: what few models need (losses, lists of neighbours,
// averages, features of people), and what hardly ever happens, is a file of its own, which is loaded on
// demand.
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
export const expectedOf = later('expectedOf');
const after = (name) => async (...given) => (await load())[name](...given);
const isRare = ({ loss, personFeatures, users, kind }) => loss || personFeatures || users || kind !== 'factors';
export const prepareModel = (model) => isRare(model) && load();
const rareFault = after('faultInRareModel');
export const faultInRareModel = (model, count) => (isRare(model) ? rareFault(model, count) : undefined);
export const fetchAgain = after('fetchAgain');
export const similar = after('similar');`;

/** A plugin of the bundler for the client's own file. */
export function rareModelsOnDemand() {
  return {
    name: 'rare models on demand',
    setup(bundler) {
      const filter =
        /^\.\/(convex-fold-in|neighbour-scorer|baseline-scorer|expected-of|rare-model-check|prepare-model|fetch-again|similar)\.js$/;
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
export { expectedOf } from './expected-of.js';
export { faultInRareModel } from '../../model/dist/rare-model-check.js';
export { fetchAgain } from '../../../apps/page/dist/fetch-again.js';
export { similar } from '../../../apps/page/dist/similar.js';`,
      resolveDir: `${root}/packages/recommend/dist`,
    },
    outfile: `${folder}/${rareFile.slice(2)}`,
  });
}
