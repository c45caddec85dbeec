import { createHash, randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { checkRequest } from '../check-request.js';
import { addCommand, OptionError } from '../command.js';
import { addSourceFlags, datasetFolder, type SourceFlags } from '../data-source.js';
import {
  addLedgerFlags,
  datasetLedgerIfThere,
  type LedgerFlags,
  openDatasetLedger,
} from '../dataset-ledger.js';
import { exitCodeOf, exitCodes } from '../exit-codes.js';
import { addFeatureFiles, unusedSources } from '../feature-files.js';
import { settingsForFeedback, trainingScale } from '../feedback.js';
import { guaranteeText } from '../guarantee-text.js';
import { jobSelection } from '../job-selection.js';
import { noiseKeyFor } from '../noise-key.js';
import { deltaText } from '../number-text.js';
import { addProtocolFlags, type ProtocolFlags, protocolRecord, trainingPart } from '../protocol.js';
import { trainedUserIds } from '../trained-user-ids.js';
import { addTrainingFlags, settingsOf, type TrainingFlags } from '../training-options.js';
import { version } from '../version.js';

interface TrainOptions extends TrainingFlags, SourceFlags, ProtocolFlags, LedgerFlags {
  readonly account?: string;
  readonly out?: string;
  readonly overwrite?: boolean;
  readonly resume?: boolean;
  readonly recordUnprotected?: boolean;
  readonly signingKey?: string;
}

export function registerTrain(program: Command): void {
  addCommand<TrainOptions>(program, {
    usage: 'train <dataset>',
    summary: 'train a model and certify what it promises',
    examples: [
      'hushrec train ratings.csv --epsilon 1',
      'hushrec train movies --method dpals --epsilon 5 --delta 1e-6 --set rank=16 --out movies-dpals',
      'hushrec train movies --method als --out movies-als',
      'hushrec train movies --epsilon 1 --protocol holdout --seed 1 --out trial   (simulation, for evaluation)',
    ],
    fields: [
      'model',
      'method',
      'unit',
      'relation',
      'epsilon',
      'delta',
      'simulation',
      'accountant',
      'accounting',
      'nominalEpsilon',
      'ledgerEntry',
      'usefulness',
      'seconds',
    ],
    configure: (command) => {
      addTrainingFlags(command);
      command
        .option('--out <model>', 'model folder to write (<dataset>-<method>)')
        .option('--overwrite', 'replace a model that is already there')
        .option('--resume', 'repeat a run that stopped half-way: same noise, no second charge')
        .option('--signing-key <file>', 'Ed25519 private key (PKCS #8, PEM) to sign the certificate with')
        .option(
          '--account <name>',
          'whose budget the people of a file spend from; a data set has its account',
        )
        .option(
          '--record-unprotected',
          'make a run without a finite guarantee although the account has a budget, and write that down',
        );
      addLedgerFlags(command);
      addProtocolFlags(command, 'train only on what this protocol trains on, so that `evaluate` is honest');
      addSourceFlags(command);
    },
    run: async ([path], options, context) => {
      const { ItemNoise, methodById, noiseByPopularity, planRun, trainModel, withUserIds } = await import(
        '@hushrec/factorize'
      );
      const { openDataset, publishedItems, readManifest } = await import('@hushrec/ratings');
      const { describeProtection } = await import('@hushrec/privacy');
      const { certify, enoughWords, usefulnessWords } = await import('@hushrec/model');
      const { checkModelFolder, writeModelFolder } = await import('@hushrec/model/folder');
      const { createEngine } = await import('@hushrec/numerics');
      const started = performance.now();
      const method = methodById(options.method);
      await checkRequest([method], options);
      const isPrivate = method.protects.length > 0;
      if (isPrivate && options.epsilon === undefined)
        throw new OptionError(
          `${method.id} is a private method: give --epsilon (usual values: 0.1 to 10; inf trains it without noise).`,
        );
      const epsilon = options.epsilon ?? Infinity;
      const delta = isPrivate ? options.delta : 0;
      const directory = await datasetFolder(path!, options, context);
      const out = resolve(
        options.out ?? `${directory.replace(/\/+$/, '').replace(/\.hushrec$/, '')}-${method.id}`,
      );
      await checkModelFolder(out, options.overwrite === true);
      const signing = await signingKeyOption(options.signingKey);

      const manifest = await readManifest(directory);
      const scale = trainingScale(manifest.scale, options.liked);
      const request = {
        method,
        settings: settingsForFeedback(method, scale, settingsOf(options.set)),
        epsilon,
        delta,
        ...(options.people !== undefined && { declaredPeople: options.people }),
        ...(options.seed !== undefined && { seed: options.seed }),
        accounting: { accounting: options.accounting ?? 'exact' },
      } as const;
      const planned = planRun({ ...request, itemCount: manifest.items, scale });
      context.say(
        `${method.title} (${method.paper})\n${guaranteeText(planned.plan, options.seed !== undefined, {
          epsilon,
          accounting: options.accounting ?? 'exact',
        })}`,
      );

      const isCharged = Number.isFinite(planned.plan.epsilon) && options.seed === undefined;
      const told = options.recordUnprotected === true;
      if (!isCharged) {
        const book = told
          ? await openDatasetLedger(directory, options, 'write')
          : await datasetLedgerIfThere(directory, options);
        try {
          const why =
            options.seed !== undefined
              ? 'the noise of a simulation follows from its seed'
              : isPrivate
                ? 'no ε is proved for what it releases'
                : `${method.id} adds no noise`;
          await book?.ledger.recordUnprotected(
            {
              account: manifest.account.id,
              jobKey: randomUUID(),
              method: method.id,
              why,
              snapshot: manifest.contentHash,
            },
            { told },
          );
        } finally {
          await book?.ledger.close();
        }
      }
      const book = isCharged ? await openDatasetLedger(directory, options, 'write') : undefined;
      const key = isCharged ? await noiseKeyFor(out, options.resume === true) : undefined;
      const engine = await createEngine(options.threads === undefined ? {} : { threads: options.threads });
      let entry: string | null = null;
      let mayBeCharged = false;
      try {
        const dataset = await openDataset(directory);
        const given = await addFeatureFiles(options, dataset, context.say);
        for (const line of unusedSources([method], given)) context.say(line);
        const features = [...dataset.features, ...given];
        const ratings = await trainingPart(dataset, options);
        const userIds = await trainedUserIds(dataset, options);
        const seen = new ItemNoise(ratings.itemCount);
        const result = await trainModel({
          ...request,
          ratings,
          features,
          engine,
          noise: { identity: manifest.contentHash, ...(key && { key: key.bytes }) },
          hooks: {
            beforeData: async (run) => {
              if (book === undefined || key === undefined) return;
              context.signal.throwIfAborted();
              const { jobKeyOf, UnprotectedRunError } = await import('@hushrec/ledger');
              mayBeCharged = true;
              const asked = {
                account: manifest.account.id,
                snapshot: manifest.contentHash,
                jobKey: jobKeyOf({
                  dataset: manifest.contentHash,
                  method: method.id,
                  settings: run.settings,
                  selection: await jobSelection(protocolRecord(options), features),
                  plan: run.plan,
                  noiseKeyHash: createHash('sha256').update(key.bytes).digest('hex'),
                }),
                method: method.id,
                protection: { unit: run.plan.unit, relation: run.plan.relation },
                charge: {
                  kind: 'event',
                  event: {
                    kind: 'composed',
                    events: run.plan.releases.map(
                      ({ event, count }) => ({ kind: 'repeated', event, count }) as const,
                    ),
                  },
                },
              } as const;
              const receipt = await book.ledger.spend(asked).catch((error: unknown) => {
                if (!(told && error instanceof UnprotectedRunError)) throw error;
                const why = `it protects ${run.plan.unit} (${run.plan.relation}) alone`;
                return book.ledger.recordUnprotected({ ...asked, why }, { told });
              });
              if (receipt === undefined) return;
              entry = receipt.entry;
              context.say(
                receipt.resumed
                  ? 'Paid for before: nothing is charged again.'
                  : `Charged to ${book.ledger.location}.`,
              );
            },
            progress: context.progress,
            released: seen.watch,
            signal: context.signal,
          },
        });
        const counts = result.model.kind === 'factors' ? result.model.popularity : undefined;
        const certificate = certify(result.record, {
          trained: {
            model: result.model,
            vectorNoise:
              counts && seen.last && seen.last.width > 1 ? noiseByPopularity(seen.last, counts) : undefined,
          },
          method: method.id,
          dataset: manifest.account.id,
          ledgerEntry: entry,
          codeVersion: version,
          tuning:
            options.set === undefined
              ? 'defaults of the method; nothing was tuned on this data'
              : 'settings were given by hand; how they were chosen is not recorded and not charged',
        });
        const split = protocolRecord(options);
        const published = await writeModelFolder(
          out,
          {
            manifest: {
              format: 'hushrec-model-1',
              method: method.id,
              settings: result.settings,
              ...(result.model.feedback === 'explicit' && { scale: manifest.scale }),
              ...publishedItems(dataset),
              versions: { hushrec: version },
              notes: { ...result.notes, ...(split && { trainedOn: split }) },
            },
            model: withUserIds(result.model, userIds),
            certificate,
          },
          { overwrite: options.overwrite === true, ...signing },
        );
        if (book && entry !== null)
          await book.ledger.complete(manifest.account.id, { entry, number: 0, resumed: false });
        await key?.destroy();
        const seconds = Math.round(performance.now() - started) / 1000;
        const { certificate: sealed } = published;
        return {
          json: {
            model: out,
            method: method.id,
            unit: sealed.unit,
            relation: sealed.relation,
            epsilon: sealed.epsilon,
            delta: sealed.delta,
            simulation: sealed.simulation,
            accountant: sealed.accountant,
            accounting: options.accounting ?? 'exact',
            nominalEpsilon: Number.isFinite(epsilon) ? epsilon : null,
            ledgerEntry: entry,
            usefulness: sealed.usefulness ?? null,
            seconds,
          },
          text: [
            `${basename(out)}: ${method.id}, ${manifest.items} items, trained in ${seconds} s.`,
            sealed.epsilon === null
              ? 'No privacy guarantee.'
              : `(ε, δ) = (${sealed.epsilon}, ${deltaText(sealed.delta)}) for ${describeProtection(planned.plan.unit, planned.plan.relation)}.${sealed.simulation ? ' SIMULATION: not a guarantee.' : ''}`,
            ...(sealed.usefulness === undefined
              ? []
              : [
                  usefulnessWords(sealed.usefulness),
                  ...[
                    enoughWords(
                      sealed.usefulness,
                      sealed.epsilon,
                      sealed.delta,
                      releasedPeople(result.notes),
                    ),
                  ].filter((line) => line !== undefined),
                ]),
            `The certificate is ${out}/CERTIFICATE.md; check it with \`hushrec verify ${options.out ?? out}\`.`,
          ].join('\n'),
        };
      } catch (error) {
        // A run that was not paid for released nothing: there is nothing to resume.
        const isUnpaid = entry === null && (!mayBeCharged || exitCodeOf(error) === exitCodes.privacyRefused);
        if (isUnpaid && key?.resumed === false) await key.destroy();
        if (entry !== null)
          context.say(
            `This run was paid for. The same command with --resume repeats it, with the same noise and no second charge; its secret is ${out}.noise-key, as sensitive as the data.`,
          );
        throw error;
      } finally {
        await engine.close();
        await book?.ledger.close();
      }
    },
  }).addHelpText('after', methodList);
}

/** The noised number of people, where a method releases one. */
function releasedPeople(notes: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return typeof notes?.people === 'number' ? notes.people : undefined;
}

async function signingKeyOption(file: string | undefined) {
  if (file === undefined) return {};
  const { readSigningKey } = await import('../signing-key.js');
  return { signingKey: await readSigningKey(file) };
}

const methodList = '\nWhat can be trained, and with which settings: `hushrec methods [method]`.';
