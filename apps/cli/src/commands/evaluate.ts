import type { ItemModel } from '@hushrec/model';
import type { Engine } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import type { Command } from 'commander';
import { addCommand, type CommandContext, integerOption } from '../command.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import { withoutPublishedPeople } from '../held-out-people.js';
import { addProtocolFlags, type ProtocolFlags, protocolRecord, ratingsFor, splitFor } from '../protocol.js';

interface EvaluateFlags extends SourceFlags, ProtocolFlags {
  readonly threads?: number;
  readonly seed: number;
  readonly save?: boolean;
}

export function registerEvaluate(program: Command): void {
  addCommand<EvaluateFlags>(program, {
    usage: 'evaluate <model> <dataset>',
    summary: 'metrics of a model under a protocol, with confidence intervals and popularity slices',
    examples: [
      'hushrec evaluate trial movies --protocol holdout',
      'hushrec evaluate movies-als movies --protocol k-fold --folds 10 --json',
      'hushrec evaluate movies-ials movies --protocol leave-one-out --candidates negatives.txt',
    ],
    fields: ['protocol', 'metrics (each: value low high)', 'slices', 'retrained'],
    configure: (command) => {
      addProtocolFlags(command, 'which ratings are asked for (holdout unless given)');
      command
        .option(
          '--seed <n>',
          'seed of models that must be trained for the protocol',
          integerOption('seed', 0),
          1,
        )
        .option('--threads <n>', 'threads (all cores)', integerOption('threads', 1, 256))
        .option(
          '--save',
          'write metrics.json to the model folder (done unasked where the model protects nobody)',
        )
        .option('--no-save', 'leave the model folder as it is');
      addSourceFlags(command);
    },
    run: async ([modelPath, dataPath], given, context) => {
      const flags = { ...given, protocol: given.protocol ?? 'holdout' } as const;
      const { readModelFolder } = await import('@hushrec/model/folder');
      const { openDataset, splitKFold } = await import('@hushrec/ratings');
      const { createEngine } = await import('@hushrec/numerics');
      const { crossValidate, evaluateModel } = await import('@hushrec/evaluate');
      const published = await readModelFolder(modelPath!);
      const dataset = await openDataset(await datasetFolder(dataPath!, flags, context));
      const engine = await createEngine(flags.threads === undefined ? {} : { threads: flags.threads });
      try {
        const ratings = await ratingsFor(dataset, flags);
        const sameItems =
          dataset.itemIds.length === published.manifest.itemIds.length &&
          dataset.itemIds.every((id, at) => id === published.manifest.itemIds[at]);
        const trainedOn = published.manifest.notes?.['trainedOn'];
        const isHeldOut = sameItems && JSON.stringify(trainedOn) === JSON.stringify(protocolRecord(flags));
        const train = (part: RatingMatrix) =>
          retrain(published, part, dataset.features, engine, flags.seed, context);
        const done = async (result: Evaluation, retrained: boolean) => {
          await saveMetrics(
            modelPath!,
            published.certificate,
            { ...result, retrained, dataset: dataset.manifest.contentHash },
            flags.save,
            context,
          );
          return report(result, { retrained });
        };
        if (flags.protocol === 'k-fold') {
          const folds = splitKFold(ratings, { folds: flags.folds ?? 10, seed: flags.splitSeed });
          const parts = (function* () {
            for (let index = 0; index < folds.folds; index++) yield folds.fold(index);
          })();
          const result = await crossValidate(parts, train, engine);
          return done(result, true);
        }
        const split = await splitFor(dataset, ratings, flags);
        if (!isHeldOut) {
          context.say(
            'This model was not trained on the training part of this protocol, so its own vectors may have seen the answers. ' +
              'The same method with the same settings and noise is trained on that part instead (a simulation).',
          );
        }
        const model = isHeldOut ? published.model : await train(split.train);
        const result =
          split.protocol === 'holdout'
            ? await evaluateModel(model, split, 'holdout', engine)
            : split.protocol === 'strong-generalization'
              ? await evaluateModel(withoutPublishedPeople(model), split, 'strong-generalization', engine)
              : await evaluateModel(model, split, 'leave-one-out', engine);
        return done(result, !isHeldOut);
      } finally {
        await engine.close();
      }
    },
  });
}

/** The method of a published model with its settings and its noise, on other ratings, with seeded noise. */
async function retrain(
  published: {
    readonly manifest: { readonly method: string; readonly settings: Readonly<Record<string, unknown>> };
    readonly certificate: { readonly epsilon: number | null; readonly delta: number };
  },
  ratings: RatingMatrix,
  features: Parameters<typeof import('@hushrec/factorize').trainModel>[0]['features'],
  engine: Engine,
  seed: number,
  context: CommandContext,
): Promise<ItemModel> {
  const { trainModel } = await import('@hushrec/factorize');
  const { manifest, certificate } = published;
  const result = await trainModel({
    method: manifest.method,
    settings: manifest.settings,
    epsilon: certificate.epsilon ?? Infinity,
    delta: certificate.delta,
    ratings,
    ...(features && { features }),
    engine,
    seed,
    hooks: { progress: context.progress, signal: context.signal },
  });
  return result.model;
}

type Metrics = Readonly<
  Record<string, { readonly value: number; readonly low: number; readonly high: number }>
>;

interface Evaluation {
  readonly protocol: string;
  readonly metrics: Metrics;
  readonly slices: readonly { readonly slice: number; readonly items: number; readonly metrics: Metrics }[];
}

/**
 * Figures measured on people's ratings are statistics about people that no certificate covers. They go into the folder
 * that anyone may hold only where nobody is protected anyway (no guarantee, or a simulation), or when asked for.
 */
async function saveMetrics(
  directory: string,
  certificate: { readonly epsilon: number | null; readonly simulation: boolean },
  result: Evaluation & { readonly retrained: boolean; readonly dataset: string },
  save: boolean | undefined,
  { say }: CommandContext,
): Promise<void> {
  const protects = certificate.epsilon !== null && !certificate.simulation;
  if (save === undefined && protects)
    say(
      'metrics.json was not written: these figures are a look at private ratings that the certificate does not cover. --save writes it all the same.',
    );
  if (!(save ?? !protects)) return;
  const { writeMetrics } = await import('@hushrec/model/folder');
  // NaN (a slice without ratings) is null in JSON.
  const content = JSON.parse(JSON.stringify(result)) as unknown;
  await writeMetrics(directory, content).catch((error: NodeJS.ErrnoException) => {
    say(`metrics.json could not be written to the model folder (${error.code ?? error.message}).`);
  });
}

function report(result: Evaluation, extra: { readonly retrained: boolean }) {
  const width = Math.max(...Object.keys(result.metrics).map((name) => name.length));
  const line = ([name, { value, low, high }]: [string, Metrics[string]]) =>
    `  ${name.padEnd(width)}  ${value.toFixed(4)}  [${low.toFixed(4)}, ${high.toFixed(4)}]`;
  const [first] = Object.keys(result.metrics);
  return {
    json: { ...result, ...extra },
    text: [
      `Protocol ${result.protocol}${extra.retrained ? ', models trained for it' : ''}; 95 % intervals over people:`,
      ...Object.entries(result.metrics).map(line),
      ...(first === undefined || result.slices.length === 0
        ? []
        : [
            `${first} by popularity of the item (slice 0 holds the rarest):`,
            ...result.slices.map(({ slice, items, metrics }) => {
              const estimate = metrics[first];
              return `  ${slice}  ${String(items).padStart(6)} items  ${estimate === undefined || Number.isNaN(estimate.value) ? 'no ratings' : estimate.value.toFixed(4)}`;
            }),
          ]),
    ].join('\n'),
  };
}
