// Writes docs/commands.md from the built command line.
import { writeFileSync } from 'node:fs';
import { commandsPage } from '../apps/cli/dist/commands-page.js';
import { buildProgram } from '../apps/cli/dist/main.js';
import { alignTables } from './align-tables.mjs';

writeFileSync(
  new URL('../docs/commands.md', import.meta.url),
  alignTables(commandsPage(await buildProgram())),
);
