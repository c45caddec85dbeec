import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describedBy, optionsAround } from '../apps/cli/src/command.js';
import { exitCodeHelp } from '../apps/cli/src/exit-codes.js';
import { buildProgram } from '../apps/cli/src/main.js';
// @ts-expect-error: a tool in plain JavaScript
import { commandsPage } from './commands-page.mjs';

const program = await buildProgram();

describe('docs/commands.md', () => {
  it('is what the program says of itself (node tools/commands-page.mjs writes it)', () => {
    const page = readFileSync(new URL('../docs/commands.md', import.meta.url), 'utf8');
    // The formatter aligns tables; only that may differ.
    const plain = (text: string) => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
    expect(plain(page)).toBe(plain(commandsPage(program, { describedBy, exitCodeHelp })));
  });

  it('describes every command, with examples that name it and options that exist', () => {
    const commands = program.commands.flatMap((command) =>
      command.commands.length > 0 ? command.commands.filter((child) => child.name() !== 'help') : [command],
    );
    expect(commands.length).toBeGreaterThan(15);
    for (const command of commands) {
      const spec = describedBy(command);
      expect(spec, command.name()).toBeDefined();
      // A command that is not there yet gives nothing, and its example points to another.
      if (spec!.fields.length === 0) continue;
      for (const example of spec!.examples) {
        expect(example).toContain(`hushrec `);
        expect(example).toContain(command.name());
        for (const [flag] of example.matchAll(/(?<= )--?[a-z-]+/g))
          expect(
            [...command.options, ...optionsAround(command)].some(
              ({ long, short }) => flag === long || flag === short,
            ),
            `${flag} in: ${example}`,
          ).toBe(true);
      }
    }
  });
});
