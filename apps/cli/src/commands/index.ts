import type { Command } from 'commander';

/** Every command, in the order of the help. Each registers itself; heavy packages are loaded when it runs. */
export const commands: readonly ((program: Command) => void)[] = [];
