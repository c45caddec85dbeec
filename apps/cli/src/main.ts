import { Command, CommanderError } from 'commander';
import { OptionError } from './command.js';
import { commands } from './commands/index.js';
import { exitCodeHelp, exitCodes } from './exit-codes.js';
import { groupOfCommand } from './help-groups.js';
import { underOneName } from './other-names.js';
import { hintForUnknownFlag } from './unknown-flag.js';
import { version } from './version.js';

/** The command line with the commands of these names, ready to parse or to describe. */
export async function buildProgram(names: readonly string[] = Object.keys(commands)): Promise<Command> {
  const program = new Command('hushrec')
    .description(
      'Recommenders that provably keep each person’s history private.\n' +
        'Ratings in; out comes a model of the items that anyone may hold, with a certificate of who is protected and by how much.',
    )
    .version(version, '-V, --version')
    .option('--json', 'print one JSON object on standard output')
    .showHelpAfterError('(add --help for usage)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nStart here:\n' +
        '  $ hushrec generate sample\n' +
        '  $ hushrec train sample --epsilon 1 --out sample-model\n' +
        '  $ hushrec recommend sample-model --history my-ratings.csv\n' +
        exitCodeHelp,
    );
  const registered = await Promise.all(names.map((name) => commands[name]()));
  for (const [at, register] of registered.entries()) {
    program.commandsGroup(groupOfCommand(names[at]));
    register(program);
  }
  for (const command of descendants(program))
    command.exitOverride().showHelpAfterError('(add --help for usage)');
  return program;
}

/** Parses the arguments, runs one command, returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const [first] = args;
  const program = await buildProgram(
    ['-V', '--version'].includes(first) ? [] : Object.hasOwn(commands, first ?? '') ? [first] : undefined,
  );
  if (args.length === 0) {
    process.stdout.write(program.helpInformation());
    return exitCodes.wrongUsage;
  }
  process.exitCode = exitCodes.done;
  try {
    await program.parseAsync(underOneName(args), { from: 'user' });
    return Number(process.exitCode ?? exitCodes.done);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.unknownOption') await sayHint(program, args, error.message);
      return error.exitCode === 0 ? exitCodes.done : exitCodes.wrongUsage;
    }
    if (error instanceof OptionError) {
      process.stderr.write(`hushrec: ${error.message}\n`);
      return exitCodes.wrongUsage;
    }
    throw error;
  }
}

/** What an option that is not known was called before or should be. */
async function sayHint(program: Command, args: readonly string[], message: string): Promise<void> {
  const flag = /'--([^'=]+)/.exec(message)?.[1];
  if (flag === undefined) return;
  const hint = await hintForUnknownFlag(
    flag,
    program.commands.find((each) => each.name() === args[0]),
  );
  if (hint !== undefined) process.stderr.write(`${hint}\n`);
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...descendants(child)]);
}
