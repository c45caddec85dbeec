import { expect, it } from 'vitest';
import { exitCodes } from './exit-codes.js';
import { runCommand } from './run-command.test.data.js';

it.each([
  [
    'compare x --columns user,item,rating',
    '--columns belongs to `hushrec import`: import the source with it, then name the data set here.',
  ],
  ['train x --rank 4', 'rank is a setting of methods: write --set rank=….'],
  ['train x --dimensions=4', 'rank is a setting of methods: write --set rank=….'],
  ['compare x --clip-norm 4', 'clipNorm is a setting of methods: write --set clipNorm=….'],
])('`hushrec %s` is told the name', async (line, hint) => {
  const { code, errors } = await runCommand(...line.split(' '));
  expect(code).toBe(exitCodes.wrongUsage);
  expect(errors.split('\n')).toContain(hint);
});

it('says nothing of what it does not know, or where nothing can be set', async () => {
  for (const line of ['train x --no-such-thing 1', 'verify x --rank 4', 'verify x --users 4']) {
    const { errors } = await runCommand(...line.split(' '));
    expect(errors).toMatch(/unknown option/);
    expect(errors).not.toMatch(/belongs to|is a setting/);
  }
});
