import { expect, it } from 'vitest';
import { commands } from './commands/index.js';
import { groupOfCommand } from './help-groups.js';
import { runCommand } from './run-command.test.data.js';

it('every command stands below a heading, and so do the options of commands with many', async () => {
  expect(Object.keys(commands).filter((name) => groupOfCommand(name) === 'Others:')).toEqual([]);
  const { text } = await runCommand('--help');
  for (const heading of ['Data:', 'Models:', 'Measuring:', 'Privacy:'])
    expect(text).toContain(`\n${heading}\n`);
  const train = (await runCommand('train', '--help')).text;
  for (const heading of [
    'Method and guarantee:',
    'Data:',
    'Held-out ratings:',
    'Budget and plan:',
    'Cluster:',
  ])
    expect(train).toContain(`\n${heading}\n`);
});
