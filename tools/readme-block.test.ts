// The README's way from one's own file to a page with lists, as a newcomer takes it: a fresh copy of the
// repository in a folder of its own, and the commands of the README as they stand there. What `npm install`
// would download is lent by this repository's node_modules, and npm has no network.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generateCatalogue } from '@hushrec/ratings';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInChromium } from './describe-in-chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const [, block] = [...readme.matchAll(/```sh\n([^`]*)```/g)].find(([, text]) =>
  text!.includes('ratings.csv'),
)!;
/** Without comments, which not every shell knows. */
const commands = block!
  .trim()
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, ''));

describeInChromium('from the README alone', (opened) => {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-readme-block-'));
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    XDG_STATE_HOME: join(folder, 'state'),
  };
  let server: ChildProcess | undefined;

  beforeAll(() => {
    const list = ['ls-files', '--cached', '--others', '--exclude-standard'];
    const ours = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n');
    for (const path of ours.filter((each) => existsSync(join(root, each))))
      cpSync(join(root, path), join(folder, path));
    cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const { ratings } = generateCatalogue({ users: 2000, items: 60, ratings: 40_000, seed: 3 });
    const { offsets, indices, values } = ratings.byUser;
    const lines = ['user,item,rating'];
    for (let user = 0; user < ratings.userCount; user++)
      for (let at = offsets[user]; at < offsets[user + 1]; at++)
        lines.push(`u${user},i${indices[at]},${values[at]}`);
    writeFileSync(join(folder, 'ratings.csv'), `${lines.join('\n')}\n`);
    writeFileSync(join(folder, 'my-ratings.csv'), 'item,rating\ni1,5\ni2,1\n');
  });
  afterAll(async () => {
    if (server?.exitCode === null) {
      const ended = new Promise((resolve) => server!.on('exit', resolve));
      // The program of its shell, too.
      if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(server.pid), '/t', '/f']);
      else process.kill(-server.pid!, 'SIGTERM');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('takes six commands at most, with the one that fetches the repository', () => {
    expect(1 + commands.length).toBeLessThanOrEqual(6);
    expect(commands[0]).toBe('npm install && npm run build');
    expect(commands.at(-1)).toMatch(/^npx hushrec serve /);
  });

  it('each does what it says', () => {
    const said = commands.slice(0, -1).map((command) => {
      const { status, stdout, stderr } = spawnSync(command, {
        cwd: folder,
        encoding: 'utf8',
        shell: true,
        env,
      });
      expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
      return stdout;
    });
    expect(said.find((text) => text.includes('The certificate holds.'))).toBeDefined();
    expect(said.at(-1)).toMatch(/\bi\d+\b/);
  });

  it('the last serves a page that makes a list for a history, and sends nothing', async () => {
    // Any port: the usual one may be taken here.
    server = spawn(`${commands.at(-1)} --port 0`, {
      cwd: folder,
      shell: true,
      detached: process.platform !== 'win32',
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    let url: string | undefined;
    for await (const line of createInterface({ input: server.stderr! })) {
      said += `${line}\n`;
      url = /Serving on (\S+)/.exec(said)?.[1];
      if (url !== undefined) break;
    }
    expect(url, said).toBeDefined();
    const page = await opened.browser.newPage();
    await page.goto(url!);
    await page.getByRole('link', { name: 'Try it on your taste' }).click();
    await page.waitForSelector('.results ol.ranking li');
    const titles = () => page.locator('.results ol.ranking .item-title').allTextContents();
    const before = await titles();
    for (let k = 0; k < 3; k++)
      await page.locator('ul[aria-label="Items to rate"] li').nth(0).locator('label').nth(4).click();
    await page.getByText('changed your list').waitFor();
    expect((await titles()).length).toBeGreaterThanOrEqual(10);
    expect(await titles()).not.toEqual(before);
    expect(await page.locator('#request-count').textContent()).toBe('0');
    await page.close();
  });
});
