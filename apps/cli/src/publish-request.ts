import { resolve } from 'node:path';
import type { AskedGoal, Method } from '@hushrec/factorize';
import type { SigningKey } from '@hushrec/model/signing';
import type { Accounting, DeltaInput, EpsilonInput } from '@hushrec/privacy';
import type { RunIntent, TrainingRun } from '@hushrec/train';
import { OptionError } from './command.js';
import { type LedgerFlags, ledgerFor } from './dataset-ledger.js';
import { besideDataset } from './imported-folder.js';
import type { TrainingPlace } from './training-place.js';
import { version } from './version.js';

/** What may be said about a training run, on the command line and in a program. */
export interface AskedRun extends RunIntent, LedgerFlags, AskedGoal {
  /** Absent for methods that protect nobody, and for them alone. */
  readonly epsilon?: EpsilonInput;
  /** Of no account where the method protects nobody. */
  readonly delta: DeltaInput;
  readonly accounting?: Accounting;
  readonly people?: number;
  readonly out?: string;
  readonly seed?: number;
  readonly signingKey?: SigningKey;
}

/** A `planHash`, as it is given. */
export const isPlanHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** `--plan`. */
export function planOption(value: string): string {
  if (isPlanHash(value)) return value;
  throw new OptionError(
    `--plan is "${value}"; expected the hash of a plan, 64 hex digits, as --dry-run shows it.`,
  );
}

/**
 * The request to train and publish; whoever makes it adds how it shows the plan, and what it wants to be told
 * meanwhile. Settings are those given; what depends on the feedback is added.
 */
export async function publishRequest(
  method: Method,
  settings: Readonly<Record<string, string>>,
  { directory, source, threads }: TrainingPlace,
  asked: AskedRun,
): Promise<Omit<TrainingRun, 'show'>> {
  const { goalOf, settingsForFeedback } = await import('@hushrec/factorize');
  const { people, seed, note, signingKey } = asked;
  return {
    kind: 'training',
    source,
    method: method.id,
    settings: settingsForFeedback(method, source.scale, settings, goalOf(method, asked, settings)),
    epsilon: asked.epsilon === undefined ? absentEpsilon(method) : asked.epsilon,
    delta: method.protects.length > 0 ? asked.delta : 0,
    accounting: asked.accounting ?? 'exact',
    ...(people !== undefined && { declaredPeople: people }),
    ...(seed !== undefined && { seed }),
    out: resolve(asked.out ?? besideDataset(directory, method.id)),
    overwrite: asked.overwrite === true,
    resume: asked.resume === true,
    withReleases: asked.withReleases === true,
    acceptWeak: asked.acceptWeak === true,
    recordUnprotected: asked.recordUnprotected === true,
    ...(note !== undefined && { note }),
    ...(signingKey && { signingKey }),
    ledger: ledgerFor(directory, asked),
    ...(threads !== undefined && { threads }),
    codeVersion: version,
  };
}

/** A method that protects nobody has no other; for any other method no privacy has to be asked for. */
function absentEpsilon({ id, protects }: Method): number {
  if (protects.length === 0) return Infinity;
  throw new OptionError(`${id} is a private method: it needs an ε (Infinity trains it without noise).`);
}
