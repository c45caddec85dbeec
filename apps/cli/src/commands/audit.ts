import type { AuditReport, WidenedClip } from '@hushrec/audit';
import type { Command } from 'commander';
import {
  addCommand,
  type CommandContext,
  integerOption,
  numberOption,
  OptionError,
  type Outcome,
  repeated,
  usualDelta,
} from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { deltaText, epsilonText, lowerBoundText } from '../number-text.js';
import { addPluginFlag, loadMethods, type PluginFlags } from '../plugins.js';
import { settingsOf } from '../training-options.js';

interface AuditOptions extends PluginFlags {
  readonly epsilon: number;
  readonly delta: number;
  readonly runs: number;
  readonly confidence: number;
  readonly canary?: readonly string[];
  readonly oneRun?: number;
  readonly withoutClips?: boolean;
  readonly set?: readonly string[];
}

export function registerAudit(program: Command): void {
  addCommand<AuditOptions>(program, {
    usage: 'audit <method>',
    summary: 'attack a method with planted people and compare what leaks with what it claims',
    examples: [
      'hushrec audit dpals',
      'hushrec audit dpals --epsilon 5 --runs 4000 --confidence 0.999',
      'hushrec audit dpals --epsilon 1 --one-run 500',
      'hushrec audit private-als --set unit=rating-value --canary far-out',
      'hushrec audit dpals --without-clips',
    ],
    fields: [
      'method',
      'lowerBound',
      'confidence',
      'claimed',
      'delta',
      'runs',
      'power (most, atClaim)',
      'ok',
      'checks',
      'widenedClips and noticed (with --without-clips)',
    ],
    configure: (command) => {
      addPluginFlag(command);
      command
        .option(
          '--epsilon <number>',
          'ε the method is asked for; small values need very many runs',
          numberOption('epsilon'),
          10,
        )
        .option('--delta <number>', 'δ the method is asked for', numberOption('delta'), usualDelta)
        .option(
          '--runs <number>',
          'trainings with the planted person, and as many without, per kind',
          integerOption('runs', 10),
          500,
        )
        .option('--confidence <number>', 'confidence of the lower bound', numberOption('confidence'), 0.99999)
        .option('--canary <kind>', 'rare-items, far-out or every-item (repeatable)', repeated)
        .option(
          '--one-run <canaries>',
          'train once with this many planted people instead of many times with one',
          integerOption('one-run', 10, 100_000),
        )
        .option(
          '--without-clips',
          'show that the audit has power: widen the clips a thousandfold under the same noise, and fail unless that is noticed',
        )
        .option('--set <key=value>', 'a setting of the method (repeatable)', repeated);
    },
    run: ([method], options, context) => audit(method, options, context),
  });
}

/** Attacks the method, and says what that showed. @throws OptionError for what cannot be audited so */
async function audit(
  method: string,
  options: AuditOptions,
  { progress, say, signal }: CommandContext,
): Promise<Outcome> {
  const { auditMethod, auditOneRun } = await import('@hushrec/audit');
  await loadMethods(options, say);
  const { methodById } = await import('@hushrec/factorize');
  const { createEngine } = await import('@hushrec/numerics');
  if (options.withoutClips && options.oneRun !== undefined)
    throw new OptionError('--without-clips needs many runs. Leave out --one-run.');
  if (methodById(method).protects.length === 0)
    throw new OptionError(`${method} protects nobody, so there is no claim to test. Audit a private method.`);
  if (!(options.confidence > 0 && options.confidence < 1))
    throw new OptionError(`--confidence is ${options.confidence}; expected a number between 0 and 1.`);
  const canaries = await canariesOf(options.canary);
  const engine = await createEngine({ threads: 1 });
  try {
    const request = {
      method,
      settings: settingsOf(options.set),
      epsilon: options.epsilon,
      delta: options.delta,
      confidence: options.confidence,
      engine,
      progress,
      signal,
      ...(options.withoutClips && { withoutClips: true }),
    };
    const report =
      options.oneRun === undefined
        ? await auditMethod({ ...request, runs: options.runs, ...(canaries && { canaries }) })
        : await auditOneRun({ ...request, canaries: options.oneRun });
    return report.widenedClips === undefined ? asItIs(report) : withoutClips(report, report.widenedClips);
  } finally {
    await engine.close();
  }
}

async function canariesOf(given: readonly string[] | undefined) {
  const { canaryKinds } = await import('@hushrec/audit');
  return given?.map((kind) => {
    const known = canaryKinds.find((each) => each === kind);
    if (known === undefined)
      throw new OptionError(`--canary is "${kind}"; expected one of ${canaryKinds.join(', ')}.`);
    return known;
  });
}

function asItIs(report: AuditReport): Outcome {
  const { claimed, ok } = report;
  return {
    json: report,
    text: [
      ...checkLines(report),
      '',
      `${shownBound(report)}; claimed is ${claimed === null ? 'nothing' : `ε = ${epsilonText(claimed)}`} at δ = ${deltaText(report.delta)}.`,
      claimed === null
        ? 'There is no claim to contradict.'
        : ok
          ? `Nothing contradicts the claim. ${powerText(report, claimed)}`
          : 'The claim is FALSE, or the implementation is broken.',
    ].join('\n'),
    exitCode: ok ? exitCodes.done : exitCodes.failed,
  };
}

/** What so many runs could have shown; where that is next to nothing, what to run instead. */
function powerText(report: AuditReport, claimed: number): string {
  const { most, atClaim } = report.power;
  const could = `An audit of this size shows at most ε ≥ ${lowerBoundText(most)}, and about ${lowerBoundText(atClaim)} where the claim is exactly true.`;
  if (atClaim >= claimed / 4) return could;
  return `${could} That says little about ε = ${epsilonText(claimed)}: audit the same code with --epsilon 10, or ${'canaries' in report ? 'leave out --one-run, or give a smaller --delta' : 'give more --runs'}.`;
}

/** A demonstration: it is done when the attack alone shows more than is claimed. */
function withoutClips(report: AuditReport, clips: readonly WidenedClip[]): Outcome {
  const { claimed, lowerBound } = report;
  const noticed = claimed !== null && lowerBound > claimed;
  const claim = claimed === null ? 'no claim' : `claim ε = ${epsilonText(claimed)}`;
  return {
    json: { ...report, noticed },
    text: [
      `Clips removed on purpose: ${clips.map(({ setting, planned, used }) => `${setting} ${numberText(planned)} → ${numberText(used)}`).join(', ')}; plan and noise as before.`,
      ...checkLines(report),
      '',
      `${shownBound(report)}.`,
      noticed
        ? `The audit notices: lower bound ε ≥ ${lowerBoundText(lowerBound)} > ${claim} at δ = ${deltaText(report.delta)}.`
        : `The audit does NOT notice: lower bound ε ≥ ${lowerBoundText(lowerBound)}, ${claim} at δ = ${deltaText(report.delta)}. More --runs, or --canary far-out, may show it.`,
    ].join('\n'),
    exitCode: noticed ? exitCodes.done : exitCodes.failed,
  };
}

function checkLines({ checks }: AuditReport): string[] {
  const verdict = (ok: boolean | null) => (ok === null ? 'unseen' : ok ? 'ok    ' : 'FAILED');
  return checks.map(({ ok, name, detail }) => `${verdict(ok)}  ${name}: ${detail}`);
}

function shownBound({ runs, method, lowerBound, confidence }: AuditReport): string {
  const trainings = `${runs} ${runs === 1 ? 'training' : 'trainings'} of ${method}`;
  return `In ${trainings} the attack shows ε ≥ ${lowerBoundText(lowerBound)} with confidence ${confidence}`;
}

const numberText = (value: number) => String(Number(value.toPrecision(4)));
