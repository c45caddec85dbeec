import { basename } from 'node:path';
import type { Method, SettingValues } from '@hushrec/factorize';
import type { PublishedModel } from '@hushrec/model';
import type { Accounting } from '@hushrec/privacy';
import type { Announcement, TrainAndPublishRequest, TrainedAndPublished } from '@hushrec/train';
import type { Command } from 'commander';
import { checkRequest } from '../check-request.js';
import { addCommand, type CommandContext, OptionError, type Outcome } from '../command.js';
import { addDirectSourceFlags, type SourceFlags } from '../data-source.js';
import { addLedgerFlags, type LedgerFlags } from '../dataset-ledger.js';
import { today } from '../duration.js';
import { addEngineFlags, addStorageFlag, type EngineFlags } from '../engine-flags.js';
import { sameMethod } from '../feature-files.js';
import { guaranteeFields, guaranteeOf } from '../guarantee-fields.js';
import { guaranteeText } from '../guarantee-text.js';
import type { TrainOptions } from '../library/train.js';
import { checkMemory, memoryOption } from '../memory-option.js';
import { deltaText } from '../number-text.js';
import { addPluginFlag, loadMethods, type PluginFlags } from '../plugins.js';
import type { ProgressUpdate } from '../progress-bar.js';
import { addProtocolFlags, goalOption, type ProtocolFlags } from '../protocol.js';
import { planOption, publishRequest } from '../publish-request.js';
import { addTrainingFlags, settingsOf, type TrainingFlags } from '../training-options.js';
import { onTrainingPlace } from '../training-place.js';

interface TrainFlags
  extends TrainingFlags,
    SourceFlags,
    ProtocolFlags,
    LedgerFlags,
    EngineFlags,
    PluginFlags,
    Pick<
      TrainOptions,
      'out' | 'overwrite' | 'resume' | 'withReleases' | 'acceptWeak' | 'recordUnprotected' | 'note' | 'memory'
    > {
  readonly account?: string;
  readonly signingKey?: string;
  readonly plan?: string;
  readonly dryRun?: boolean;
}

export function registerTrain(program: Command): void {
  addCommand<TrainFlags>(program, {
    usage: 'train <dataset>',
    summary: 'train a model and certify what it promises',
    examples: [
      'hushrec train ratings.csv --epsilon 1',
      'hushrec train movies --method dpals --epsilon 5 --delta 1e-6 --set rank=16 --out movies-dpals',
      'hushrec train movies --method als --out movies-als',
      'hushrec train movies --epsilon 1 --protocol holdout --seed 1 --out trial   (simulation, for evaluation)',
      'hushrec train s3a://shop/ratings.parquet --engine sc://127.0.0.1:15002 --storage s3a://shop/hushrec --scale 1:5:1 --epsilon 1',
    ],
    fields: [
      'model',
      'method',
      ...guaranteeFields,
      'accounting',
      'nominalEpsilon',
      'ledgerEntry',
      'usefulness',
      'seconds',
      'plan (hash, with --dry-run)',
    ],
    configure: (command) => {
      addTrainingFlags(command);
      addPluginFlag(command);
      command.addOption(goalOption('rank for hush, which learns it from grades; others as they learn'));
      command
        .option('--out <model>', 'model folder to write (<dataset>-<method>)')
        .option('--overwrite', 'replace an existing model')
        .option('--resume', 'repeat a run that stopped half-way: same noise, no second charge')
        .option(
          '--with-releases',
          'publish everything that was released too, so that anyone can recompute the model',
        )
        .option('--accept-weak', 'allow an ε above 20, or a δ above 1/(10 × --people)')
        .option(
          '--memory <size>',
          'keep people on disk and read them in blocks, to train within about this much memory (2GiB)',
          memoryOption,
        )
        .option('--signing-key <file>', 'Ed25519 private key (PKCS #8, PEM) to sign the certificate with')
        .option(
          '--record-unprotected',
          'make a run without a finite guarantee although the account has a budget, and record it',
        )
        .option('--note <text>', 'who starts it and why; goes into the ledger')
        .option('--dry-run', 'print the plan and its hash, and stop: nothing is trained or charged')
        .option('--plan <hash>', 'refuse any other plan than the one with this hash', planOption);
      addLedgerFlags(command);
      addProtocolFlags(command, 'train only on what this protocol trains on, so that `evaluate` is honest');
      addDirectSourceFlags(command);
      addEngineFlags(command);
      addStorageFlag(command);
    },
    stopsWithin: ({ engine }) => (engine?.startsWith('sc://') ? 5000 : 900),
    run: ([path], options, context) => train(path, options, context),
  }).addHelpText('after', methodList);
}

async function train(path: string, options: TrainFlags, context: CommandContext): Promise<Outcome> {
  await loadMethods(options, context.say);
  const { methodById } = await import('@hushrec/factorize');
  const { makeRun, planTraining } = await import('@hushrec/train');
  const started = performance.now();
  const method = methodById(options.method);
  if (method.protects.length > 0 && options.epsilon === undefined)
    throw new OptionError(
      `${method.id} is a private method: give --epsilon (usual values: 0.1 to 10; inf trains it without noise).`,
    );
  await checkRequest([method], options);
  await checkMemory(method, options);
  const { signingKey: keyFile, plan, ...flags } = options;
  const asked = { ...flags, ...(await signingKeyOption(keyFile)) };
  return onTrainingPlace(path, method, options, context, async (place) => {
    const request = await publishRequest(method, settingsOf(options.set), place, asked);
    const { epsilon, accounting = 'exact', out } = request;
    const callbacks = progressCallbacks(method, { epsilon, accounting }, plan, context);
    if (options.dryRun === true) {
      const planned = await planTraining(request);
      callbacks.show(planned);
      return dryOutcome(planned);
    }
    const published = await makeRun({
      ...request,
      remember: { day: today(), anew: 'a training does' },
      ...callbacks,
    });
    const seconds = Math.round(performance.now() - started) / 1000;
    return trainOutcome(
      published,
      { method: method.id, epsilon, accounting },
      { out, given: options.out ?? out, seconds },
    );
  });
}

/** What is said on the way: the plan before anything is charged, what is not used, how far it is. */
function progressCallbacks(
  method: Method,
  nominal: { readonly epsilon: number; readonly accounting: Accounting },
  agreed: string | undefined,
  { say, progress, signal }: CommandContext,
): Pick<TrainAndPublishRequest, 'show' | 'opened' | 'say' | 'progress' | 'onSignal' | 'signal'> {
  let planned: SettingValues = {};
  let last: ProgressUpdate = { stage: 'statistics', done: 0, total: 1 };
  return {
    show: ({ hash, settings, plan, simulation }) => {
      planned = settings;
      say(`${method.title} (${method.paper})\n${guaranteeText(plan, simulation, nominal)}`);
      return agreed ?? hash;
    },
    opened: ({ features }) => {
      const same = sameMethod(method, planned, features);
      if (same !== undefined) say(same);
    },
    say,
    progress: (update) => {
      last = update;
      progress(update);
    },
    onSignal: (live) => progress({ ...last, live }),
    signal,
  };
}

/** A plan that was shown, and how to make it. */
export function dryOutcome({ hash, method, settings, plan, simulation }: Announcement): Outcome {
  const isProved = Number.isFinite(plan.epsilon);
  return {
    json: {
      plan: hash,
      method: method.id,
      settings,
      unit: isProved ? plan.unit : 'none',
      relation: isProved ? plan.relation : 'none',
      epsilon: isProved ? plan.epsilon : null,
      delta: plan.delta,
      simulation,
    },
    text: `Plan ${hash}\nNothing was trained or charged. The same command with --plan ${hash} instead of --dry-run makes this run, and no other.`,
  };
}

/** What was asked for and what came of it. */
async function trainOutcome(
  published: TrainedAndPublished,
  asked: { readonly method: string; readonly epsilon: number; readonly accounting: string },
  place: { readonly out: string; readonly given: string; readonly seconds: number },
): Promise<Outcome> {
  const { certificate, ledgerEntry } = published;
  return {
    json: {
      model: place.out,
      method: asked.method,
      ...guaranteeOf(certificate),
      accounting: asked.accounting,
      nominalEpsilon: Number.isFinite(asked.epsilon) ? asked.epsilon : null,
      ledgerEntry,
      usefulness: certificate.usefulness ?? null,
      seconds: place.seconds,
    },
    text: await endText(published, place),
  };
}

/** What is said when the model is there. */
async function endText(
  { certificate, manifest, model }: PublishedModel,
  { out, given, seconds }: { readonly out: string; readonly given: string; readonly seconds: number },
): Promise<string> {
  const { describeProtection } = await import('@hushrec/privacy');
  const { isSameForAll } = await import('@hushrec/model');
  const { enoughWords, knownPeople, usefulnessWords } = await import('@hushrec/model/usefulness');
  const { pluginWords, sameForAllWords, weakWords } = await import('@hushrec/model/words');
  const { epsilon, delta, unit, relation, simulation, usefulness } = certificate;
  const plugin = pluginWords(certificate);
  const enough = usefulness && enoughWords(usefulness, epsilon, delta, knownPeople(certificate));
  return [
    `${basename(out)}: ${manifest.method}, ${manifest.itemIds.length} items, trained in ${seconds} s.`,
    epsilon === null || unit === 'none' || relation === 'none'
      ? 'No privacy guarantee.'
      : `(ε, δ) = (${epsilon}, ${deltaText(delta)}) for ${describeProtection(unit, relation)}.${simulation ? ' SIMULATION: not a guarantee.' : ''}`,
    ...weakWords(certificate),
    ...(plugin === undefined ? [] : [`The method is not Hushrec’s. ${plugin}`]),
    ...(usefulness !== undefined
      ? [usefulnessWords(usefulness)]
      : isSameForAll(model)
        ? [sameForAllWords(model.feedback === 'implicit' ? 'popularity' : 'item-means')]
        : []),
    ...(enough === undefined ? [] : [enough]),
    `The certificate is ${out}/CERTIFICATE.md; check it with \`hushrec verify ${given}\`.`,
  ].join('\n');
}

async function signingKeyOption(file: string | undefined) {
  if (file === undefined) return {};
  const { readSigningKey } = await import('../signing-key.js');
  return { signingKey: await readSigningKey(file) };
}

const methodList = '\nWhat can be trained, and with which settings: `hushrec methods [method]`.';
