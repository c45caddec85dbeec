import { executeRun, methodById, planRun } from '@hushrec/factorize';
import {
  decodePublished,
  fileNames,
  type PublishedMemory,
  type PublishedModel,
  type RatingRange,
  type TrainedOn,
  type VerificationCheck,
} from '@hushrec/model';
import { canonicalJson } from '@hushrec/model/signing';
import { createEngine } from '@hushrec/numerics';
import { createAnsweringRecorder } from '@hushrec/privacy';
import { contentDigest, type FeatureSource, withoutRatings } from '@hushrec/ratings';
import { loadPapers } from './load-papers.js';
import {
  chainOf,
  decodeMemory,
  encodeMemory,
  type KeptMemory,
  recalledFor,
  samplerDistanceOf,
} from './memory-file.js';
import { answersFromLog } from './replay/release-log.js';
import { modelDifference } from './replay/same-model.js';
import { strangersCoins } from './replay/train-with-twin.js';

const checkName = 'model follows from its releases';

/** A model recomputed from its releases, or why that could not be done here. */
export type Recomputation = { readonly check: VerificationCheck } | { readonly note: string };

/**
 * Recomputes a whole model from its published releases: the method is run on no ratings, with a recorder that
 * answers from the log. Undefined where no releases are published.
 *
 * @param features the public sources it learned from, where it did
 */
export async function recomputeModel(
  files: ReadonlyMap<string, Uint8Array>,
  features: readonly FeatureSource[] = [],
): Promise<Recomputation | undefined> {
  const log = files.get(fileNames.releases);
  if (log === undefined) return undefined;
  try {
    const published = await decodePublished(files);
    const memory = files.get(fileNames.memory);
    const obstacle = obstacleTo(published, features, memory !== undefined);
    if (obstacle !== undefined) return { note: `Not recomputed from its releases: ${obstacle}` };
    const fault = await faultIn(published, log, features, memory);
    const detail = fault ?? `recomputed${fromWhat(published)}, equal to the last bit`;
    return { check: { name: checkName, ok: fault === undefined, detail } };
  } catch (error) {
    return { check: { name: checkName, ok: false, detail: (error as Error).message } };
  }
}

/** What it was recomputed from, in words, where that is more than its own releases. */
function fromWhat({ certificate: { chain } }: PublishedModel): string {
  if (chain === undefined) return '';
  const runs = chain.earlier.reduce((sum, { count }) => sum + count, 0);
  return ` from the memory of ${runs} earlier ${runs === 1 ? 'run' : 'runs'} and the releases of the last one (the earlier runs themselves were not)`;
}

/** Whether the memory in the folder is the one that certificate and manifest name. */
function faultInMemory(
  named: PublishedMemory | undefined,
  before: KeptMemory | undefined,
  { chain }: PublishedModel['certificate'],
): string | undefined {
  if (named?.before !== chain?.memory)
    return 'the certificate and the manifest name other memories that it began with.';
  if (before === undefined) return undefined;
  if (before.sha256 !== named?.before) return 'the memory in the folder is not the one that it began with.';
  return canonicalJson(chainOf(before).earlier) === canonicalJson(chain?.earlier)
    ? undefined
    : 'the certificate states other runs than the memory that it began with.';
}

function memoryHeader(
  { method, settings, itemIds }: PublishedModel['manifest'],
  account: string,
  { before: hash }: PublishedMemory,
  scale: RatingRange,
  part: TrainedOn | undefined,
) {
  return { account, method, settings, scale, part: part ?? null, itemIds, before: hash ?? null };
}

/** What is needed for it and not in the folder. */
function obstacleTo(
  { manifest: { run }, certificate }: PublishedModel,
  features: readonly FeatureSource[],
  hasMemory: boolean,
): string | undefined {
  if (certificate.plugin !== undefined)
    return `its method comes from the plug-in ${certificate.plugin.name}, and plug-ins are not loaded here. Repeat it on the machine that has it.`;
  if (certificate.unit === 'rating-value')
    return 'who rated what is public for this unit, but not in the folder.';
  const given = new Set(features.map(contentDigest));
  if (run?.memory?.before !== undefined && !hasMemory)
    return `the memory that it began with (${run.memory.before.slice(0, 12)}…) is not in the folder.`;
  const lacking = run?.sources.filter(({ sha256 }) => !given.has(sha256)) ?? [];
  return lacking.length === 0
    ? undefined
    : `it learned from public sources that were not given, or have changed: ${lacking.map(({ name }) => name).join(', ')}.`;
}

async function faultIn(
  { manifest, model, certificate }: PublishedModel,
  log: Uint8Array,
  features: readonly FeatureSource[],
  memoryBytes: Uint8Array | undefined,
): Promise<string | undefined> {
  const { run } = manifest;
  if (run === undefined) return 'it does not say which run it comes from.';
  const before = run.memory?.before === undefined ? undefined : decodeMemory(memoryBytes!);
  const chainFault = faultInMemory(run.memory, before, certificate);
  if (chainFault !== undefined) return chainFault;
  const remember = run.memory && {
    ...(before && { before: recalledFor(before, manifest.itemIds, run.memory.kept ?? 1) }),
  };
  await loadPapers();
  const planned = planRun({
    method: methodById(manifest.method),
    settings: manifest.settings,
    itemCount: manifest.itemIds.length,
    scale: run.scale,
    epsilon: run.epsilon ?? Infinity,
    delta: run.delta,
    features,
    ...(run.declaredPeople !== undefined && { declaredPeople: run.declaredPeople }),
    accounting: { accounting: run.accounting as 'exact' },
  });
  const answers = answersFromLog(log);
  const recorder = createAnsweringRecorder(planned.plan, answers);
  const people = run.listedPeople ?? 0;
  const visible = withoutRatings(people, { itemCount: manifest.itemIds.length, scale: run.scale });
  const engine = await createEngine({ kernel: run.kernel === 'scalar' ? 'scalar' : 'simd', threads: 1 });
  try {
    const again = await executeRun(planned, {
      ratings: visible,
      features,
      engine,
      recorder,
      publicSeed: run.publicSeed,
      coins: strangersCoins,
      ...(remember && { remember }),
    });
    recorder.finish();
    if (answers.leftOver() > 0) return `${answers.leftOver()} releases of the log have no part in it.`;
    const faultInPlan = planFault(recorder.plan, certificate);
    if (faultInPlan !== undefined) return faultInPlan;
    const mu = recorder.plan.total?.mu ?? 0;
    const memoryFault = faultInMemoryLeft(manifest, certificate, again.memory, { before, mu });
    if (memoryFault !== undefined) return memoryFault;
    const { users: _, ...own } = again.model as { users?: unknown };
    const { users: __, ...stored } = model as { users?: unknown };
    const [mine, theirs] = [{ model: own as typeof model }, { model: stored as typeof model }];
    const difference = modelDifference(mine, theirs, manifest.itemIds.length);
    return difference === undefined
      ? undefined
      : `${difference} is not what its releases give (Node ${process.versions.node.split('.')[0]} here, ${run.node} there).`;
  } finally {
    await engine.close();
  }
}

/** The memory that a model names must be what its run left: what the next refresh begins with. */
function faultInMemoryLeft(
  manifest: PublishedModel['manifest'],
  { account, releases, chain }: PublishedModel['certificate'],
  left: Awaited<ReturnType<typeof executeRun>>['memory'],
  { before, mu }: { readonly before: ReturnType<typeof decodeMemory> | undefined; readonly mu: number },
): string | undefined {
  const { run } = manifest;
  if (run?.memory === undefined) return undefined;
  if (left === undefined) return 'it names a memory, but its method leaves none.';
  const { day, after } = run.memory;
  const memory = {
    ...memoryHeader(manifest, account, run.memory, run.scale, run.trainedOn),
    ...left.after,
    runs: [...(before?.runs ?? []), { mu, totalVariation: samplerDistanceOf(releases), day }],
  };
  if (encodeMemory(memory).sha256 !== after) return 'the memory that it left is not what its releases give.';
  return chain === undefined || chain.countNoise === left.countNoise
    ? undefined
    : `the certificate says that ${chain.countNoise} of noise is left on counts; it is ${left.countNoise}.`;
}

/** The lines of the certificate must be those of the run that the releases were recomputed by. */
function planFault(
  {
    releases,
  }: { readonly releases: readonly { name: string; count: number; sensitivity: number; noise: number }[] },
  certificate: {
    readonly releases: readonly {
      name: string;
      count: number;
      sensitivity: number;
      noise: number;
      mechanism: string;
    }[];
  },
): string | undefined {
  const lines = certificate.releases.filter(({ mechanism }) => mechanism !== 'sampler-distance');
  const same =
    lines.length === releases.length &&
    releases.every(({ name, count, sensitivity, noise }, at) => {
      const line = lines[at];
      return (
        line.name === name &&
        line.count === count &&
        line.sensitivity === sensitivity &&
        Math.abs(line.noise - noise) <= 1e-5 * noise
      );
    });
  return same ? undefined : 'the certificate lists other releases than the run makes.';
}
