import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
// @ts-expect-error: a tool in plain JavaScript
import * as doors from './doors.mjs';
// @ts-expect-error: a tool in plain JavaScript
import { sourceFiles } from './unused.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const files: { path: string; text: string }[] = sourceFiles(root);
/** Not written out, or it would be one. */
const tag = ['//', '@door'].join(' ');

it('every door has its tests, nothing charges or writes beside the one behind them, and the page says so', () => {
  const found = doors.doorErrors(files);
  expect(found.errors).toEqual([]);
  expect(found.doors.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['train', 'train()', 'refresh', 'serve', 'federate party', 'page take-part']),
  );
  expect(readFileSync(new URL('../docs/doors.md', import.meta.url), 'utf8')).toBe(doors.doorsPage(found));
});

it('a door without tests would be noticed, and so would a charge, a writer or a tag that is none', () => {
  const command = `
import { addCommand } from '../command.js';
export function registerPeek(program) {
  addCommand(program, { usage: 'peek <dataset>', run: ([path]) => look(path) });
}
async function look(path) {
  const { LocalPeople } = await import('@hushrec/statistics');
  return new LocalPeople(path);
}`;
  const handing = `
import { addCommand } from '../command.js';
export function registerPeer(program) {
  addCommand(program, { usage: 'peer', run: async () => show(await load()) });
}
const load = () => import('@hushrec/papers/experiments');
const show = ({ experiments }) => experiments.length;`;
  const charging = `
import { writeModelFolder } from '../../train/src/publish/write-folder.js';
export const sell = async (ledger) => {
  await ledger.spend({});
  await writeModelFolder('model', {});
};`;
  const claiming = `
import { it } from 'vitest';
${tag} peek: charge
it('is about something else', () => {});
${tag} nowhere: kills
const nothing = 0;`;
  const planted = [
    { path: 'apps/cli/src/commands/peek.ts', text: command },
    { path: 'apps/cli/src/commands/peer.ts', text: handing },
    { path: 'packages/evaluate/src/sell.ts', text: charging },
    { path: 'packages/evaluate/src/sell.test.ts', text: claiming },
  ];
  const { errors } = doors.doorErrors([...files, ...planted]) as { errors: string[] };
  const of = (words: string) => errors.filter((error) => error.includes(words));
  for (const cell of ['plan hash checked', 'total charged', 'neighbours compared', 'killed and resumed'])
    for (const name of ['peek', 'peer']) expect(of(`\`${name}\` is a door`).join()).toContain(cell);
  expect(of('sell.ts calls spend()')).toHaveLength(1);
  expect(of('sell.ts imports writeModelFolder')).toHaveLength(1);
  expect(of('@door peek: the file does not use that door')).toHaveLength(1);
  expect(of('@door nowhere: there is no such door')).toHaveLength(1);
  expect(of('@door nowhere: no test stands below it')).toHaveLength(1);
  expect(errors).toHaveLength(14);
});
