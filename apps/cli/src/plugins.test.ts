import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hushrec, started } from './started-command.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-plugins-'));
const variables = { HUSHREC_LEDGER: join(folder, 'ledger.sqlite') };
const run = (...args: string[]) => started(process.execPath, [hushrec, ...args], folder, variables);
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** The method of docs/add-a-method.md, and a mark that shows when its file was loaded. */
const plugin = `${readFileSync(
  new URL('../../../examples/plugin/my-method.js', import.meta.url),
  'utf8',
).replace("'hushrec/plugin'", JSON.stringify(new URL('../dist/plugin.js', import.meta.url).href))}
import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(folder, 'loaded'))}, '');
`;
const wasLoaded = () => {
  const was = existsSync(join(folder, 'loaded'));
  rmSync(join(folder, 'loaded'), { force: true });
  return was;
};
const trained = ['train', 'sample', '--method', 'noisy-popularity', '--epsilon', '5', '--goal', 'rank'];

beforeAll(async () => {
  write('mine.js', plugin);
  await run('generate', 'sample', '--people', '300', '--items', '40', '--ratings', '4000');
  const made = await run(
    ...trained,
    '--plugin',
    './mine.js',
    '--with-releases',
    '--new-ledger',
    '--out',
    'm',
  );
  expect(made, made.errors).toMatchObject({ code: 0 });
  expect(wasLoaded()).toBe(true);
  expect(made.text).toContain('The method is not Hushrec’s. It comes from the plug-in mine.js');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('its certificate names it, and says what is not proved; verify repeats that, and holds', async () => {
  const certificate = JSON.parse(readFileSync(join(folder, 'm/certificate.json'), 'utf8'));
  expect(certificate.plugin).toEqual({
    name: 'mine.js',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(readFileSync(join(folder, 'm/CERTIFICATE.md'), 'utf8')).toContain(
    'is declared by the plug-in and not proved here',
  );
  const verified = await run('verify', 'm');
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.text).toContain('declared by the plug-in and not proved here');
  expect(verified.text).toContain('plug-ins are not loaded here');
});

it('verify, recommend and serve do not load plug-ins, whatever lies in the folder', async () => {
  write('hushrec.config.json', '{ "plugins": ["./mine.js"] }');
  write('history.csv', 'item\n1\n');
  try {
    expect(await run('verify', 'm')).toMatchObject({ code: 0 });
    expect(await run('recommend', 'm', '--history', 'history.csv')).toMatchObject({ code: 0 });
    const serving = run('serve', '--models', 'm', '--port', '0');
    await new Promise<void>((resolve) => {
      serving.child.stderr!.on('data', (text) => String(text).includes('Serving on') && resolve());
      serving.child.once('exit', () => resolve());
    });
    serving.child.kill('SIGTERM');
    expect((await serving).errors).toContain('Serving on');
    expect(wasLoaded()).toBe(false);
    for (const command of ['verify', 'recommend', 'serve']) {
      const asked = await run(command, 'm', '--plugin', './mine.js');
      expect(asked).toMatchObject({ code: 2 });
      expect(asked.errors).toContain('only train, compare, audit, methods load them');
    }
    expect(wasLoaded()).toBe(false);
    // A command that trains reads the file.
    expect((await run('methods')).text).toContain('noisy-popularity');
    expect(wasLoaded()).toBe(true);
  } finally {
    rmSync(join(folder, 'hushrec.config.json'));
  }
});

it('a command that a server starts, with HUSHREC_PLUGINS=none, loads none', async () => {
  write('hushrec.config.json', '{ "plugins": ["./mine.js"] }');
  try {
    const args = [hushrec, 'methods'];
    await started(process.execPath, args, folder, { ...variables, HUSHREC_PLUGINS: 'none' });
    expect(wasLoaded()).toBe(false);
  } finally {
    rmSync(join(folder, 'hushrec.config.json'));
  }
});

it.each([
  ['there is none', './absent.js', '', 'there is no file'],
  ['no such package', 'absent-package', '', 'no package of this name is installed'],
  ['it has no methods', './bad.js', 'export const method = 1;', 'it exports no methods'],
  ['its methods are none', './bad.js', 'export const methods = [{ id: "x" }];', 'it exports no methods'],
  ['it fails', './bad.js', 'throw new Error("Oh.");', 'it could not be loaded: Oh.'],
  ['it takes a name', './bad.js', plugin.replaceAll('noisy-popularity', 'hush'), 'There is a method "hush"'],
])('says what is wrong with a plug-in: %s', async (_, name, source, words) => {
  write('bad.js', source);
  const { code, errors } = await run('methods', '--plugin', name);
  expect(errors).toContain(words);
  expect(code).toBe(2);
});
