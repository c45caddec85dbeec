import { withoutPassword } from '@hushrec/ratings/formats';
import type { Command, Option } from 'commander';
import { exitCodeHelp, exitCodeOf, exitCodes } from './exit-codes.js';
import { groupOptions } from './help-groups.js';
import { ProgressBar, type ProgressUpdate } from './progress-bar.js';
import { systemErrorWords } from './system-error.js';

/**
 * What a command may use besides its arguments. Results go to standard output, everything else to standard
 * error.
 */
export interface CommandContext {
  /** Aborted by Ctrl-C; long work passes it on and leaves nothing half-written. */
  readonly signal: AbortSignal;
  readonly progress: (update: ProgressUpdate) => void;
  /** One line for people, on standard error. */
  readonly say: (line: string) => void;
}

/** What a command produced: one object for `--json`, a text for people. */
export interface Outcome {
  readonly json: object;
  readonly text: string;
  /** 0 unless the command did its work and the answer is a failure (verify, audit). */
  readonly exitCode?: number;
  /** What is kept until the outcome is out goes then. */
  readonly told?: () => Promise<void>;
}

/** One command, one file. `Options` is what commander parsed. */
export interface CommandSpec<Options> {
  /** With its arguments: `train <dataset>`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Fields of the `--json` object, for help and documentation. */
  readonly fields: readonly string[];
  /** What help and the commands page say besides, in lines. */
  readonly notes?: string;
  /** Adds options; `--json` is one of the program, and those of a group are known to its commands. */
  readonly configure: (command: Command) => void;
  /**
   * How many milliseconds it may take to stop after Ctrl-C; 900 unless given. A server has requests and runs
   * to end first, a cluster must be told.
   */
  readonly stopsWithin?: number | ((options: Options) => number);
  readonly run: (args: readonly string[], options: Options, context: CommandContext) => Promise<Outcome>;
}

const specs = new WeakMap<Command, Pick<CommandSpec<object>, 'examples' | 'fields' | 'notes'>>();

/** Examples and JSON fields of a command; undefined for groups of commands. */
export function describedBy(command: Command) {
  return specs.get(command);
}

/** δ where none is given, the same in every command. */
export const usualDelta = 1e-6;

/** Adds a command to its parent (the program, or a group such as `privacy`). */
export function addCommand<Options extends object>(parent: Command, spec: CommandSpec<Options>): Command {
  const command = parent.command(spec.usage).summary(spec.summary).description(spec.summary);
  specs.set(command, spec);
  spec.configure(command);
  groupOptions(command);
  command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions });
  const notes = spec.notes === undefined ? '' : `\n${spec.notes}\n`;
  const json = spec.fields.length === 0 ? '' : `\n--json gives: ${spec.fields.join(', ')}.\n`;
  command.addHelpText(
    'after',
    `${notes}\nExamples:\n${spec.examples.map((each) => `  $ ${each}`).join('\n')}\n${json}${exitCodeHelp}`,
  );
  command.action(async (...received: unknown[]) => {
    const args = received
      .slice(0, -2)
      .flat()
      .filter((each) => each !== undefined)
      .map(String);
    // An empty variable in a script, most likely. Paths would be taken for the folder we are in.
    if (args.includes(''))
      throw new OptionError(`${fullName(command)}: an argument is empty; a variable that is not set, maybe?`);
    const options = command.optsWithGlobals<Options & { json?: boolean }>();
    process.exitCode = await runCommand(fullName(command), spec, args, options, options.json === true);
  });
  return command;
}

/**
 * Options of the groups around a command and of the program; not `--version`, which is about none of them.
 */
function visibleGlobalOptions(command: Command): Option[] {
  return optionsAround(command).filter(({ long }) => long !== '--version');
}

/** Options that a command has from the groups around it and from the program. */
export function optionsAround({ parent }: Command): Option[] {
  return parent === null ? [] : [...parent.options, ...optionsAround(parent)];
}

/** `hushrec ledger grant`, as it is typed. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

async function runCommand<Options>(
  name: string,
  spec: CommandSpec<Options>,
  args: readonly string[],
  options: Options,
  asJson: boolean,
): Promise<number> {
  const interruption = new AbortController();
  const bar = new ProgressBar(process.stderr);
  const onInterrupt = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    bar.clear();
    process.stderr.write('Stopping; press Ctrl-C again to stop at once.\n');
    interruption.abort(new DOMException('Interrupted; nothing half-written was left behind.', 'AbortError'));
    // Work that looks up rarely is not waited for: what it was writing is removed on exit, and no ledger
    // minds.
    const within = typeof spec.stopsWithin === 'function' ? spec.stopsWithin(options) : spec.stopsWithin;
    setTimeout(() => process.exit(exitCodes.interrupted), within ?? 900).unref();
  };
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onInterrupt);
  try {
    const outcome = await spec.run(args, options, {
      signal: interruption.signal,
      progress: (update) => bar.update(update),
      say: (line) => {
        bar.clear();
        process.stderr.write(`${withoutPassword(line)}\n`);
      },
    });
    bar.clear();
    await print(asJson ? `${JSON.stringify(outcome.json, null, 2)}\n` : `${outcome.text.trimEnd()}\n`);
    await outcome.told?.();
    return outcome.exitCode ?? exitCodes.done;
  } catch (error) {
    bar.clear();
    process.stderr.write(`${name}: ${withoutPassword(messageOf(error))}\n`);
    return exitCodeOf(error);
  } finally {
    process.off('SIGINT', onInterrupt);
    process.off('SIGTERM', onInterrupt);
  }
}

/** Waits until the text is out, so that exiting cannot cut it off in a pipe. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) =>
      error && (error as NodeJS.ErrnoException).code !== 'EPIPE' ? reject(error) : resolve(),
    );
  });
}

/** The message alone for errors meant for people; the stack too for those that are bugs. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isBug = error instanceof TypeError || error instanceof ReferenceError || error.name === 'Error';
  if (isBug && process.env['HUSHREC_DEBUG']) return error.stack ?? error.message;
  const own = systemErrorWords(error)?.words;
  if (own !== undefined) return own;
  // What training failed by stands at the beginning of what it says.
  const ofCause = systemErrorWords(error.cause)?.words;
  return ofCause !== undefined && error.cause instanceof Error
    ? error.message.replace(error.cause.message, ofCause)
    : error.message;
}

/** Reads a number option, refusing what is not one. */
export function numberOption(name: string): (text: string) => number {
  return (text) => {
    const isEndless = /^(inf|infinity|∞)$/i.test(text);
    const value = isEndless ? Infinity : Number(text);
    // What is too large to be held is no wish for infinity: that trains without privacy.
    if (text.trim() === '' || (!isEndless && !Number.isFinite(value)))
      throw new OptionError(`--${name} is "${text}"; expected a number.`);
    return value;
  };
}

/** Reads a whole number option within a range. */
export function integerOption(
  name: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new OptionError(`--${name} is "${text}"; expected a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** Collects a repeatable option. */
export function repeated(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

/** Wrong use of an option: exit code 2. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
  readonly kind = 'usage';
}
