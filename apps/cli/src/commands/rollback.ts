import { resolve } from 'node:path';
import type { KeptVersion } from '@hushrec/train';
import type { Command } from 'commander';
import { addCommand, OptionError, type Outcome } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';

interface RollbackFlags {
  readonly to?: string;
  readonly list?: boolean;
}

export function registerRollback(program: Command): void {
  addCommand<RollbackFlags>(program, {
    usage: 'rollback <model>',
    summary: 'put an earlier model live again, or one that was held back; nothing is spent',
    examples: [
      'hushrec rollback models/shop --list',
      'hushrec rollback models/shop',
      'hushrec rollback models/shop --to 3fa9c1',
    ],
    fields: ['model', 'live', 'replaced', 'versions'],
    configure: (command) => {
      command
        .option('--to <hash>', 'certificate hash of the model, or its beginning (the last that was live)')
        .option('--list', 'list the models that are kept, and change nothing');
    },
    run: ([model], flags) => rollback(model, flags),
  });
}

async function rollback(model: string, { to, list }: RollbackFlags): Promise<Outcome> {
  const { readModelFolder } = await import('@hushrec/model/folder');
  const { clearLeftOvers, keptVersions, putLive, versionsFolderOf } = await import('@hushrec/train');
  if (list === true && to !== undefined) throw new OptionError('Give either --list or --to.');
  const out = resolve(model);
  await clearLeftOvers(out);
  const live = await readModelFolder(out).catch(() => undefined);
  const kept = await keptVersions(out);
  if (live === undefined && kept.length === 0)
    throw new CommandError(exitCodes.badData, `${model}: there is no model, and none is kept beside it.`);
  const said = { model: out, live: live?.certificate.hash ?? null };
  if (list === true)
    return {
      json: { ...said, versions: kept.map(described) },
      text: [
        live === undefined ? 'No model is live.' : `Live: ${words(live)}`,
        ...(kept.length === 0 ? [`None is kept in ${versionsFolderOf(model)}.`] : kept.map(line)),
      ].join('\n'),
    };
  const chosen = choose(model, kept, to);
  await putLive(out, chosen);
  return {
    json: {
      ...said,
      live: chosen.hash,
      replaced: said.live,
      versions: (await keptVersions(out)).map(described),
    },
    text: `${model}: live again is ${words(chosen.published)}\n${
      live === undefined ? 'None was live before.' : `Kept in its stead: ${words(live)}`
    }\nNothing was spent, and nothing is given back: every model that was made counts in the ledger.`,
  };
}

/** The one that is named, else the last that was live. */
function choose(model: string, kept: readonly KeptVersion[], to: string | undefined): KeptVersion {
  const found =
    to === undefined
      ? kept.filter(({ isHeldBack }) => !isHeldBack).slice(0, 1)
      : kept.filter(({ hash }) => hash.startsWith(to.toLowerCase()));
  if (found.length === 1) return found[0];
  throw new CommandError(
    to === undefined ? exitCodes.badData : exitCodes.wrongUsage,
    to === undefined
      ? `${model}: no earlier model is kept. \`hushrec rollback ${model} --list\` shows what was held back.`
      : found.length === 0
        ? `--to ${to}: no kept model has this hash. \`hushrec rollback ${model} --list\` shows them.`
        : `--to ${to}: several kept models begin so. Give more of the hash.`,
  );
}

function described({ hash, since, isHeldBack, published: { certificate } }: KeptVersion) {
  const { method, epsilon, delta, usefulness } = certificate;
  return {
    hash,
    since: since.toISOString(),
    heldBack: isHeldBack,
    method,
    epsilon,
    delta,
    verdict: usefulness?.verdict ?? null,
    itemsAboveNoise: usefulness?.itemsAboveNoise ?? null,
  };
}

function line(version: KeptVersion): string {
  const state = version.isHeldBack ? 'held back' : 'replaced';
  return `${state} ${version.since.toISOString().slice(0, 16).replace('T', ' ')}: ${words(version.published)}`;
}

/** `3fa9c1d20b77: hush, ε = 1, worth-it.` */
function words({ certificate }: KeptVersion['published']): string {
  const { hash, method, epsilon, usefulness } = certificate;
  const guarantee = epsilon === null ? 'without a guarantee' : `ε = ${epsilon}`;
  return `${hash.slice(0, 12)}: ${method}, ${guarantee}${usefulness === undefined ? '' : `, ${usefulness.verdict}`}.`;
}
