import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type {
  Card,
  Catalogue,
  Charter,
  Fetcher,
  Office,
  SignedCharter,
  WireHandler,
} from '@hushrec/federate';
import type { RunningServer } from '@hushrec/federate/node';
import type { SigningKey } from '@hushrec/model/signing';
import { Option } from 'commander';
import { type CommandContext, OptionError, type Outcome, repeated } from '../command.js';
import { CommandError, exitCodes } from '../exit-codes.js';
import { systemErrorWords } from '../system-error.js';
import { refuseTaken, writeWhole } from '../whole-file.js';

/** What a role keeps in its folder: its public card, and secrets that never leave it. */
export interface Identity {
  readonly folder: string;
  readonly office: Card;
  readonly key: SigningKey;
  /** Absent where a proxy with a public certificate stands before it. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** 32 bytes; noise of an aggregator follows from them. */
  readonly secret: Uint8Array;
}

/** Makes keys, a certificate unless a public one is used, and a secret in a folder that has none. */
export async function makeIdentity(
  folder: string,
  name: string,
  url: string,
  { publicCertificate = false }: { readonly publicCertificate?: boolean } = {},
): Promise<Card> {
  const { signCard } = await import('@hushrec/federate');
  const { exportSigningKey, generateSigningKey } = await import('@hushrec/model/signing');
  const { selfSignedCertificate } = await import('@hushrec/federate/node');
  let host: string;
  try {
    host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  } catch {
    throw new OptionError(`--url ${url} is not an address. Expected https://host:port.`);
  }
  const key = await generateSigningKey();
  const tls = publicCertificate ? undefined : selfSignedCertificate(host);
  const office = await signCard({ name, url, ...(tls && { certificate: tls.cert }) }, key);
  const files = [
    { name: 'signing-key.pem', text: await exportSigningKey(key), mode: 0o600 },
    ...(tls ? [{ name: 'tls-key.pem', text: tls.key, mode: 0o600 }] : []),
    { name: 'secret', text: randomBytes(32).toString('hex'), mode: 0o600 },
    // Last: whoever has the card has all of it.
    { name: 'identity.json', text: `${JSON.stringify(office, null, 2)}\n`, mode: 0o644 },
  ];
  for (const { name } of files) refuseTaken(join(folder, name), 'Choose another folder.');
  try {
    for (const { name, text, mode } of files) await writeWhole(join(folder, name), text, mode);
  } catch (error) {
    // Keys of which nobody has heard are of no use; the same command may make others. The card goes first.
    for (const { name } of files.toReversed()) await rm(join(folder, name), { force: true });
    throw error;
  }
  return office;
}

/** Reads what `hushrec federate identity` made. */
export async function readIdentity(folder: string): Promise<Identity> {
  const { importSigningKey } = await import('@hushrec/model/signing');
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  try {
    const office = await readCard(join(folder, 'identity.json'));
    const { certificate: cert } = office;
    return {
      folder,
      office,
      key: await importSigningKey(await read('signing-key.pem')),
      ...(cert !== undefined && { tls: { key: await read('tls-key.pem'), cert } }),
      secret: secretOf(await read('secret')),
    };
  } catch (error) {
    throw new CommandError(
      exitCodes.wrongUsage,
      `${folder} holds no identity (${(error as Error).message}). Make one with \`hushrec federate identity ${folder} --name NAME --url https://HOST:PORT\`.`,
    );
  }
}

/** 32 bytes and no fewer: noise that follows from half a secret can be guessed. */
function secretOf(text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/.test(text.trim())) throw new Error('its secret is damaged');
  return Uint8Array.from(Buffer.from(text.trim(), 'hex'));
}

/** A card that somebody sent: `identity.json` of another role. */
export async function readCard(path: string): Promise<Card> {
  const { isSignedCard } = await import('@hushrec/federate');
  const { name, url, publicKey, certificate, signature } = await readJson<Card>(path, 'an identity card');
  if (typeof name !== 'string' || typeof url !== 'string' || !/^[0-9a-f]{64}$/.test(publicKey))
    throw new CommandError(exitCodes.badData, `${path} is not an identity card (identity.json of a role).`);
  const card: Card = { name, url, publicKey, ...(certificate !== undefined && { certificate }), signature };
  if (!(await isSignedCard(card)))
    throw new CommandError(
      exitCodes.badData,
      `${path} is not as ${name} signed it. Ask ${name} for the card again.`,
    );
  return card;
}

async function readJson<T>(path: string, what: string, advice = ''): Promise<T> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const fault =
      code === 'ENOENT'
        ? 'there is no such file.'
        : code === 'EISDIR'
          ? `this is a folder, not ${what}.`
          : `this is not ${what}.`;
    throw new CommandError(exitCodes.badData, `${path}: ${fault}${advice && ` ${advice}`}`, { cause: error });
  }
}

/** The charter and the catalogue that lies beside it. */
export async function readCharterFile(
  path: string,
): Promise<{ readonly signed: SignedCharter; readonly catalogue: Catalogue }> {
  const { CharterError, catalogueHash } = await import('@hushrec/federate');
  const signed = await readJson<SignedCharter>(
    path,
    'a charter',
    'Give charter.json of the folder that `hushrec federate charter` wrote.',
  );
  if (!/^hushrec-charter-[12]$/.test(signed.charter?.format))
    throw new CommandError(exitCodes.badData, `${path} is not a charter that this version can read.`);
  const catalogue = await readJson<Catalogue>(
    join(dirname(path), 'catalogue.json'),
    'a catalogue',
    'It comes with the charter and lies beside it.',
  );
  if ((await catalogueHash(catalogue)) !== signed.charter.catalogue.hash)
    throw new CharterError(
      'the catalogue beside it is not the one it names.',
      'Use the catalogue.json that came with the charter.',
    );
  return { signed, catalogue };
}

/**
 * A charter that all of its aggregators have signed, whoever is believed: for those who add up, keep the log
 * or invite.
 */
export async function readSignedCharter(path: string): ReturnType<typeof readCharterFile> {
  const { readCharter } = await import('@hushrec/federate');
  const read = await readCharterFile(path);
  const { aggregators, admission } = read.signed.charter;
  const everyone = [...aggregators, ...(admission.kind === 'parties' ? admission.parties : [])];
  await readCharter(
    read.signed,
    everyone.map(({ publicKey }) => publicKey),
  );
  return read;
}

/** Where an aggregator keeps what belongs to one run. */
export async function runFolder(folder: string, { run }: Charter) {
  const { FileFolder } = await import('@hushrec/federate/node');
  return new FileFolder(join(folder, `run-${run}`));
}

/** Says in which file a charter lies that is refused by what a command does. */
export async function withCharter<T>(file: string, act: () => Promise<T>): Promise<T> {
  const { CharterError } = await import('@hushrec/federate');
  try {
    return await act();
  } catch (error) {
    throw error instanceof CharterError ? error.in(file) : error;
  }
}

/**
 * Certificates that no line will accept are told before anything is signed, charged or sent.
 *
 * @throws CharterError
 */
export async function refuseStaleCertificates({
  coordinator,
  aggregators,
  admission,
}: Pick<Charter, 'coordinator' | 'aggregators' | 'admission'>): Promise<void> {
  const { CharterError } = await import('@hushrec/federate');
  const { X509Certificate } = await import('node:crypto');
  const now = new Date();
  const parties = admission.kind === 'parties' ? admission.parties : [];
  for (const { name, certificate } of [coordinator, ...aggregators, ...parties]) {
    if (certificate === undefined) continue;
    const { validFrom, validTo } = new X509Certificate(certificate);
    const fault =
      now > new Date(validTo) ? 'has expired' : now < new Date(validFrom) ? 'is not valid yet' : '';
    if (fault !== '')
      throw new CharterError(
        `the certificate of ${name} ${fault}: it holds from ${validFrom} to ${validTo}, and it is ${now.toUTCString()} here.`,
        `Where the time is right, ${name} needs a new identity and everybody a new charter; where it is not, set clocks by NTP.`,
      );
  }
}

/** An engine and the features, the same for everyone. */
export async function publicKnowledge(signed: SignedCharter, catalogue: Catalogue) {
  const { loadPapers } = await import('@hushrec/train/load-papers');
  await loadPapers();
  const { decodeFeatures } = await import('@hushrec/federate');
  const { createEngine } = await import('@hushrec/numerics');
  const engine = await createEngine({ kernel: signed.charter.kernel, threads: 1 });
  return { engine, features: decodeFeatures(catalogue.features) };
}

/**
 * A line to one office: its own certificate if the charter names one, and patience; none where a request must
 * not be made twice.
 */
export async function lineTo(
  office: Office,
  own?: Identity['tls'],
  patience: number | 'none' = 0,
  waiting?: (message: string) => void,
  mostConnections?: number,
): Promise<Fetcher> {
  const { attemptsWithin, patient, usualPatience } = await import('@hushrec/federate');
  const { tlsClient } = await import('@hushrec/federate/node');
  const client = tlsClient({
    ...(office.certificate && { believed: [office.certificate] }),
    ...(own && { own }),
    ...(mostConnections && { mostConnections }),
  });
  const attempts =
    patience === 'none' ? 1 : patience > 0 ? attemptsWithin(1000 * patience) : usualPatience.attempts;
  return patient(client, `${office.name} (${office.url})`, {
    ...usualPatience,
    attempts,
    ...(waiting && { waiting }),
  });
}

/** `--listen host:port`; the port of the identity's own address otherwise, on all interfaces. */
function listenAt(listen: string | undefined, office: Office): { host: string; port: number } {
  if (listen === undefined && office.certificate === undefined && office.url.startsWith('https:'))
    throw new OptionError(
      `The card of ${office.name} has no certificate, so that ${office.url} is a proxy’s address. Say with --listen 127.0.0.1:PORT where the proxy finds this role.`,
    );
  const text = listen ?? `0.0.0.0:${new URL(office.url).port || '443'}`;
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  if (at < 1 || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OptionError(`--listen ${text}: expected host:port.`);
  return { host: text.slice(0, at), port };
}

/** Certificates of those whom a run lets in; undefined where everyone may come (devices have none). */
export function clientCertificates({ charter }: SignedCharter): readonly string[] | undefined {
  if (charter.admission.kind !== 'parties') return undefined;
  const all = [charter.coordinator, ...charter.aggregators, ...charter.admission.parties];
  const certificates = all.flatMap(({ certificate }) => (certificate === undefined ? [] : [certificate]));
  return certificates.length === all.length ? certificates : undefined;
}

/** Why a request failed here, for the owner of a role that goes on listening. */
function failureWords(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? 'the disk is full: what came was not taken and is asked for again. Make room; it goes on by itself.'
    : (systemErrorWords(error)?.words ?? message);
}

/**
 * Where a role listens and whom it lets in: those whose certificates its charters name, or everyone where one
 * of its runs is for everyone. Who may do what in a run is for the run's own routes to say.
 */
async function serveRole(
  runs: readonly OpenedRun[],
  { office, tls }: Identity,
  { listen, log }: { readonly listen: string | undefined; readonly log: LogLine },
): Promise<RunningServer> {
  const { severalRuns } = await import('@hushrec/federate');
  const { serve } = await import('@hushrec/federate/node');
  const admitted = runs.map(({ signed }) => clientCertificates(signed));
  const clients = admitted.includes(undefined)
    ? undefined
    : [...new Set(admitted.flatMap((each) => each ?? []))];
  const place = listenAt(listen, office);
  return serve(severalRuns(runs.map(({ signed, routes }) => ({ run: signed.charter.run, routes }))), {
    ...place,
    ...(tls && office.url.startsWith('https:') && { tls: { ...tls, ...(clients && { clients }) } }),
    mostBytes: Math.max(...runs.map(({ mostBytes }) => mostBytes)),
    anyOrigin: runs.some(({ anyOrigin }) => anyOrigin),
    failed: (error) => log('failed', { reason: failureWords(error) }),
  }).catch((error: NodeJS.ErrnoException) => {
    const reason = cannotListen[error.code ?? ''];
    if (reason === undefined) throw error;
    throw new OptionError(
      `${place.host}:${place.port} ${reason} Say with --listen HOST:PORT where ${office.name} is to listen.`,
    );
  });
}

/** Why an address of this machine is not to be had, by the system's code. */
const cannotListen: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program.',
  EADDRNOTAVAIL: 'is no address of this machine.',
  EACCES: 'is not for everyone to use (ports below 1024 are the system’s).',
};

/** A run that a role serves at its address until it is over. */
export interface OpenedRun {
  readonly signed: SignedCharter;
  readonly routes: WireHandler;
  readonly mostBytes: number;
  readonly anyOrigin: boolean;
  /** The exchange that is open, from 1; none for an issuer. */
  readonly exchange?: number;
  untilTheEnd(): Promise<Outcome>;
  close(): Promise<void>;
}

/**
 * Opens the run of each charter, serves all of them from one process until they are over, and closes them,
 * also where one fails to open.
 *
 * @param role what this one is, in the log
 */
export async function serveRuns(
  role: 'aggregator' | 'coordinator' | 'issuer',
  charters: readonly string[],
  identity: Identity,
  { listen, log }: { readonly listen: string | undefined; readonly log: LogLine },
  open: (file: string, at: number) => Promise<OpenedRun>,
): Promise<Outcome> {
  const runs: OpenedRun[] = [];
  try {
    for (const [at, file] of charters.entries()) {
      const run = await withCharter(file, () => open(file, at));
      const isTwice = runs.some(({ signed }) => signed.hash === run.signed.hash);
      runs.push(run);
      if (isTwice) throw new OptionError(`--charter ${file}: this run is given twice.`);
    }
    const server = await serveRole(runs, identity, { listen, log });
    for (const { exchange } of runs)
      log('listening', {
        [role]: identity.office.name,
        port: server.port,
        ...(exchange !== undefined && { exchange }),
      });
    try {
      return await outcomeOfRuns(runs.map((run) => run.untilTheEnd()));
    } finally {
      await server.close();
    }
  } finally {
    for (const run of runs) await run.close();
  }
}

/**
 * What came of one run, or of several in a list. A run that fails stops no other; its failure is told when
 * all are over.
 */
async function outcomeOfRuns(runs: readonly Promise<Outcome>[]): Promise<Outcome> {
  const ended = await Promise.allSettled(runs);
  const outcomes = ended.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
  if (outcomes.length === 1) return outcomes[0];
  return {
    json: { runs: outcomes.map(({ json }) => json) },
    text: outcomes.map(({ text }) => text).join('\n'),
  };
}

/**
 * Where a role writes the model of its run. One of the very same run may be there, of a role that was stopped
 * after it wrote it and is started again: it is written once more, the same.
 *
 * @throws ModelFolderExistsError where another model is in the way
 */
export async function modelPlace(
  out: string,
  { hash }: SignedCharter,
  overwrite: boolean | undefined,
): Promise<{ readonly out: string; readonly overwrite: boolean }> {
  const { checkModelFolder, readModelFolder } = await import('@hushrec/model/folder');
  const place = resolve(out);
  const there = await readModelFolder(place).catch(() => undefined);
  const isOwn = there?.certificate.account === hash;
  if (!isOwn) await checkModelFolder(place, overwrite === true);
  return { out: place, overwrite: overwrite === true || isOwn };
}

/** Processor time of this process so far, start-up included. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1e4) / 100;
}

export const charterOption = () =>
  new Option('--charter <file>', 'the signed charter; catalogue.json lies beside it').makeOptionMandatory();

/** The same for roles that serve several runs in one process. */
export const chartersOption = () =>
  new Option(
    '--charter <file>',
    'the signed charter; catalogue.json lies beside it (repeatable: one process serves several runs)',
  )
    .argParser(repeated)
    .makeOptionMandatory();

/** Tells roles that `simulate --processes` starts the seed of their noise and masks. */
export const SEED_VARIABLE = 'HUSHREC_SIMULATION_SEED';

/**
 * What a role's noise and masks follow from where a seed is given; undefined where none is, and they stay
 * secret.
 *
 * @throws OptionError where the charter is no simulation
 */
export async function secretFromSeed({ simulation }: Charter, role: string): Promise<Uint8Array | undefined> {
  const seed = process.env[SEED_VARIABLE];
  if (seed === undefined) return undefined;
  if (simulation !== true)
    throw new OptionError(
      `${SEED_VARIABLE} is ${seed}: this charter is about people, and noise from a seed protects nobody. Unset it; \`hushrec federate simulate\` is for simulations.`,
    );
  const { simulatedSecret } = await import('@hushrec/federate');
  return simulatedSecret(Number(seed), role);
}

/** For commands that tell their steps. */
export const stepsNote = 'With --json the steps on standard error are JSON lines, too.';

/** Told of a step, with its fields. */
export type LogLine = (event: string, fields?: Readonly<Record<string, string | number>>) => void;

/**
 * One line of JSON a step on standard error: names of steps and numbers of exchanges, nothing about people.
 */
export function logLine(asked: boolean | undefined, say: (line: string) => void): LogLine {
  return (event, fields = {}) => {
    if (asked) say(JSON.stringify({ time: new Date().toISOString(), event, ...fields }));
    else {
      const { reason, ...others } = fields;
      const said = [event, ...Object.entries(others).map(([name, value]) => `${name} ${value}`)].join(', ');
      say(reason === undefined ? said : `${said}: ${reason}`);
    }
  };
}

/**
 * Where JSON lines are asked for, all that a role says beside its steps (what was charged, what was left out)
 * is one of them, and nothing is drawn.
 */
export function sayingBy(context: CommandContext, log: LogLine, asked: boolean | undefined): CommandContext {
  if (!asked) return context;
  return { ...context, say: (text) => log('note', { text }), progress: () => undefined };
}
