// What people get: the tarballs, installed into an empty project without network, used as the READMEs say.
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium } from './describe-in-chromium.mjs';
// @ts-expect-error: a tool without types
import { clientBytes, mostBytes } from './release.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'hushrec-packages-'));
const names = ['@hushrec/privacy', '@hushrec/model', '@hushrec/recommend', '@hushrec/client', 'hushrec'];
const [building, serving] = readFileSync(join(root, 'Containerfile'), 'utf8')
  .split(/^FROM .*$/m)
  .slice(1)
  .map((stage) => [...stage.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, step, text]) => ({ step, text: text! })));
/** What follows the instructions of this kind in a stage of the container file. */
const steps = (stage: typeof building, kind: string) =>
  (stage ?? []).filter(({ step }) => step === kind).map(({ text }) => text);

beforeAll(() => {
  // The steps of the container's first stage; the tests' own run has just done what the first two do.
  const [install, make, release, ...more] = steps(building, 'RUN');
  expect([install, make, more]).toEqual(['npm ci', 'npm run build', []]);
  spawnSync('sh', ['-c', release!], { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  // Nothing may come from the network or from a cache: what is required must be in the tarballs.
  const flags = ['--offline', '--cache', join(project, 'no-cache'), '--omit=optional', '--loglevel=error'];
  const tarballs = readdirSync(join(root, 'release'))
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => join(root, 'release', name));
  expect(tarballs).toHaveLength(names.length);
  run('npm', 'install', ...flags, ...tarballs);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function attempt(command: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    env: { ...process.env, NODE_PATH: '' },
  });
}

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = attempt(command, ...args);
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
const program = 'node_modules/hushrec/bin/hushrec.js';
const hushrec = (...args: string[]) => run(process.execPath, program, ...args);

/** A package of the repository's own node_modules, for the project to use without a download. */
function lend(...names: string[]): void {
  for (const name of names) {
    const place = join(project, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(root, 'node_modules', name), place, 'junction');
  }
}

/** TypeScript at its strictest, declarations of libraries included. */
const compiler = [
  join(root, 'node_modules/typescript/bin/tsc'),
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'],
  ...['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom', '--types', 'node'],
  ...['--skipLibCheck', 'false'],
];

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
}

describe('each tarball', () => {
  it('holds README and LICENSE, and nothing of tests and build', () => {
    for (const name of names) {
      const files = filesBelow(join(project, 'node_modules', name));
      expect(files, name).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
      expect(files.filter((file) => /\.test\.|tsbuildinfo|(^|\/)testing\//.test(file))).toEqual([]);
      // OFL 1.1, condition 2: the licence goes wherever the fonts go.
      for (const font of files.filter((file) => file.endsWith('.woff2')))
        expect(files).toContain(join(dirname(font), 'OFL.txt'));
      const { keywords, license, sideEffects } = JSON.parse(
        readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8'),
      );
      expect({ license, sideEffects }).toEqual({ license: 'Apache-2.0', sideEffects: false });
      expect(keywords.length).toBeGreaterThan(2);
    }
  });

  it('brings the licences of the packages whose code is in the command and in the page', () => {
    const parts = { 'THIRD-PARTY.txt': 'commander', 'bundle/public/THIRD-PARTY.txt': 'preact' };
    for (const [file, part] of Object.entries(parts))
      expect(readFileSync(join(project, 'node_modules/hushrec', file), 'utf8')).toMatch(
        new RegExp(`^${part} \\d.*\\(MIT\\)\\n[^]*?Copyright`, 'm'),
      );
  });

  it('has a bill of materials beside it', () => {
    const { bomFormat, components } = JSON.parse(
      readFileSync(join(root, 'release/sbom.cyclonedx.json'), 'utf8'),
    );
    expect(bomFormat).toBe('CycloneDX');
    expect(components.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['libsql', 'hono', 'hyparquet']),
    );
  });

  it('has source maps that lead to sources', () => {
    for (const name of names) {
      const folder = join(project, 'node_modules', name);
      const maps = filesBelow(folder).filter((file) => file.endsWith('.js.map'));
      expect(maps.length, name).toBeGreaterThan(0);
      for (const file of maps) {
        const { sources, sourcesContent } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
        sources.forEach((source: string, at: number) => {
          const isThere =
            typeof sourcesContent?.[at] === 'string' || existsSync(join(folder, dirname(file), source));
          expect(isThere, `${name}/${file} → ${source}`).toBe(true);
        });
      }
    }
  });

  it('is small', () => {
    const installed = filesBelow(join(project, 'node_modules', 'hushrec'))
      .map((file) => statSync(join(project, 'node_modules', 'hushrec', file)).size)
      .reduce((sum, size) => sum + size, 0);
    const client = clientBytes();
    console.log(
      `hushrec without optional parts: ${(installed / 1e6).toFixed(1)} MB; client: ${client} bytes`,
    );
    expect(installed).toBeLessThanOrEqual(mostBytes.hushrec);
    expect(client).toBeLessThanOrEqual(mostBytes.client);
    // Nothing else came along.
    expect(
      readdirSync(join(project, 'node_modules'))
        .filter((name) => !name.startsWith('.'))
        .sort(),
    ).toEqual(['@hushrec', 'hushrec']);
  });
});

describe('the command', () => {
  it('says what to install where an optional part is missing', () => {
    hushrec('generate', 'sample', '--people', '300', '--items', '60', '--ratings', '5000');
    const trained = attempt(process.execPath, program, 'train', 'sample', '--epsilon', '1');
    expect(trained.status).not.toBe(0);
    expect(trained.stderr).toContain('npm install libsql');
    const reproduced = attempt(process.execPath, program, 'reproduce', '--list');
    expect(reproduced.status).toBe(2);
    expect(reproduced.stderr).toContain('from the repository');
  });

  it('trains, verifies and recommends', () => {
    lend('libsql', '@libsql', '@neon-rs', 'detect-libc');
    run(
      'npx',
      '--no-install',
      'hushrec',
      'train',
      'sample',
      '--epsilon',
      '1',
      '--people',
      '300',
      '--out',
      'models/sample',
    );
    expect(hushrec('verify', 'models/sample')).toContain('The certificate holds.');
    writeFileSync(join(project, 'history.csv'), 'item,rating\n1,5\n');
    expect(
      JSON.parse(hushrec('recommend', 'models/sample', '--history', 'history.csv', '--json')).items,
    ).toHaveLength(10);
  });
});

describe('a plug-in', () => {
  it('is compared, audited, trained and verified as docs/add-a-method.md says, from a folder of its own', () => {
    const page = readFileSync(join(root, 'docs/add-a-method.md'), 'utf8');
    const source = readFileSync(join(root, 'examples/plugin/my-method.js'), 'utf8');
    expect(page).toContain(source);
    writeFileSync(join(project, 'my-method.js'), source);
    rmSync(join(project, 'sample'), { recursive: true, force: true });
    const orders = [...page.matchAll(/^npx hushrec (.*)$/gm)].map(([, args]) => args!.split(' '));
    const said = new Map(orders.map((args) => [args[0], hushrec(...args)]));
    expect([...said.keys()]).toEqual(['generate', 'methods', 'compare', 'audit', 'train', 'verify']);
    expect(said.get('compare')).toMatch(/noisy-popularity.*\n.*hush.*\n.*dpals/);
    expect(said.get('audit')).toContain('Nothing contradicts the claim.');
    expect(said.get('verify')).toContain('The certificate holds.');
    expect(said.get('verify')).toContain('declared by the plug-in and not proved here');
    writeFileSync(
      join(project, 'typed.ts'),
      `import { defineMethod, type Method, weightedCounts } from 'hushrec/plugin';
export const methods: readonly Method[] = [];
// @ts-expect-error: a method has an id
export const never = () => [defineMethod({}), weightedCounts];
`,
    );
    lend('@types/node', 'undici-types');
    run(process.execPath, ...compiler, '--noEmit', 'typed.ts');
  });
});

describe('the library', () => {
  it('goes from a CSV file to a certified model in fifteen lines, ledger included', () => {
    const script = readFileSync(join(root, 'examples/script/train-and-recommend.ts'), 'utf8');
    expect(script.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(script.trimEnd());
    lend('@types/node', 'undici-types');
    const rows = Array.from(
      { length: 3000 },
      (_, k) => `u${k % 300},${k % 7 === 0 ? 'dune' : `i${(k * 31) % 40}`},${1 + (k % 5)}`,
    );
    writeFileSync(join(project, 'ratings.csv'), `user,item,rating\n${rows.join('\n')}\n`);
    cpSync(join(root, 'examples/script/train-and-recommend.ts'), join(project, 'script.ts'));
    writeFileSync(
      join(project, 'uses.ts'),
      `import { importRatings, train, recommend, verify, Ledger, type Recommendations } from 'hushrec';
import { calibrate } from '@hushrec/privacy';
import { verifyPublished } from '@hushrec/model';
import { Recommender } from '@hushrec/recommend';
import { fetchModel, OwnHistory } from '@hushrec/client';

export const first: Recommendations = await recommend('models/sample', [{ id: '1', rating: 5 }], { k: 3 });
export const all = [importRatings, train, verify, Ledger, calibrate, verifyPublished, Recommender, fetchModel, OwnHistory];
// @ts-expect-error: the history is a list of entries
export const never = () => recommend('models/sample', 'history.csv');
console.log(first.items.length, all.every((each) => typeof each === 'function'));
`,
    );
    run(process.execPath, ...compiler, 'script.ts', 'uses.ts');
    const printed = run(process.execPath, 'script.js').trimEnd().split('\n');
    expect(printed[0]).toBe('300 people, 41 items');
    expect(printed[1]).toBe('ε = 1, δ = 0.000001 for each user');
    expect(printed[2].split(' ')).toHaveLength(5);
    expect(printed[2]).not.toContain('dune');
    // The grant of 5 stands: a run that does not fit into it is refused.
    const dear = attempt(
      process.execPath,
      program,
      'train',
      'ratings.csv',
      '--epsilon',
      '5',
      '--out',
      'dear',
    );
    expect(dear).toMatchObject({ status: 4 });
    expect(existsSync(join(project, 'dear'))).toBe(false);
  });
});

/** The blocks of code of the engineer's guide in a language. */
const guide = readFileSync(join(root, 'docs/guides/shop.md'), 'utf8');
const codeOf = (language: string, containing: string) =>
  [...guide.matchAll(new RegExp(`^\\\`{3}${language}\\n(.*?)^\\\`{3}$`, 'gms'))]
    .map(([, code]) => code!)
    .find((code) => code.includes(containing))!;

describe('the server code of the engineer’s guide', () => {
  beforeAll(() => {
    hushrec('generate', 'shop', '--people', '2000', '--items', '200', '--ratings', '40000', '--seed', '1');
    const trained = ['--epsilon', '2', '--people', '2000', '--out', 'models/shop'];
    hushrec('train', 'shop', ...trained);
  });

  it('answers by Express', async () => {
    // What the guide uses of Express 5, on any port.
    mkdirSync(join(project, 'node_modules/express'), { recursive: true });
    writeFileSync(
      join(project, 'node_modules/express/package.json'),
      '{ "type": "module", "main": "index.js" }',
    );
    writeFileSync(
      join(project, 'node_modules/express/index.js'),
      `import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

export default function express() {
  const answers = [];
  return {
    use: (path, answer) => answers.push([path + '/', answer]),
    get: (path, answer) =>
      answers.push([
        path.replace(':id', ''),
        (id, response) => answer({ params: { id } }, { json: (value) => response.end(JSON.stringify(value)) }),
      ]),
    listen() {
      const server = createServer((request, response) => {
        const [path, answer] = answers.find(([start]) => request.url.startsWith(start));
        void answer(request.url.slice(path.length), response);
      });
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));
    },
  };
}
express.static = (folder) => (path, response) => response.end(readFileSync(join(folder, path)));
`,
    );
    writeFileSync(join(project, 'express.js'), codeOf('js', 'express'));
    const server = spawn(process.execPath, ['express.js'], {
      cwd: project,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const port = await new Promise<string>((resolve, reject) => {
        server.stdout.on('data', (text) => resolve(String(text).trim()));
        server.on('exit', (code) => reject(new Error(`ended with ${code}`)));
      });
      const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
      const { items } = (await (await get('/similar/7')).json()) as { items: { id: string }[] };
      expect(items).toHaveLength(5);
      expect(items.map(({ id }) => id)).not.toContain('7');
      expect(await (await get('/models/shop/certificate.json')).json()).toMatchObject({ epsilon: 2 });
    } finally {
      server.kill();
      await new Promise((resolve) => server.on('exit', resolve));
    }
  });

  it('answers by a route handler of Next.js', () => {
    cpSync(join(project, 'models/shop'), join(project, 'public/models/shop'), { recursive: true });
    writeFileSync(join(project, 'route.js'), codeOf('js', 'GET'));
    writeFileSync(
      join(project, 'asks.js'),
      `import { GET } from './route.js';
const request = new Request('http://localhost/similar/7');
const response = await GET(request, { params: Promise.resolve({ id: '7' }) });
console.log(response.status, (await response.json()).items.length);
`,
    );
    expect(run(process.execPath, 'asks.js').trim()).toBe('200 5');
  });
});

describe('the types', () => {
  it('passed the strictest settings, libraries included, and say what is there', () => {
    expect(run(process.execPath, 'uses.js').trim()).toBe('3 true');
  });
});

describe.skipIf(process.platform === 'win32')('the container', () => {
  it('installs the package, serves, and says that it is healthy', async () => {
    const prefix = join(project, 'prefix');
    const port = String(20_000 + (process.pid % 20_000));
    const here = (text: string) =>
      text
        .replaceAll('/release', join(project, 'release'))
        .replaceAll('/data', join(project, 'data'))
        .replaceAll('7717', port);
    expect(steps(serving, 'COPY')).toEqual(['--from=build /build/release /release']);
    cpSync(join(root, 'release'), join(project, 'release'), { recursive: true });
    const env = {
      ...process.env,
      PATH: `${join(prefix, 'bin')}:${process.env['PATH']}`,
      npm_config_prefix: prefix,
      npm_config_offline: 'true',
      npm_config_cache: join(project, 'no-cache'),
    };
    const lend = (name: string) =>
      symlinkSync(join(root, 'node_modules', name), join(prefix, 'lib/node_modules', name), 'junction');
    const fromRegistry = 'npm install --global pg@8';
    expect(steps(serving, 'RUN')).toContain(fromRegistry);
    for (const text of steps(serving, 'RUN')) {
      if (text === fromRegistry) {
        const ledger = ['ledger', 'show', 'nobody', '--ledger', 'postgres://127.0.0.1:1/none'];
        const shown = () =>
          spawnSync(join(prefix, 'bin', 'hushrec'), ledger, { encoding: 'utf8', env }).stderr;
        expect(shown()).toContain('Run: npm install --global pg');
        lend('pg');
        expect(shown()).toMatch(/ECONNREFUSED|does not answer|cannot be reached/);
        continue;
      }
      const { status, stderr } = spawnSync('sh', ['-c', here(text)], { cwd: project, encoding: 'utf8', env });
      expect(status, `${text}\n${stderr}`).toBe(0);
    }
    expect(existsSync(join(project, 'release'))).toBe(false);
    // Without a network npm leaves optional parts out; the container has them.
    for (const name of ['libsql', '@libsql', '@neon-rs', 'detect-libc']) lend(name);
    mkdirSync(join(project, 'data/models'), { recursive: true });
    writeFileSync(
      join(project, 'data/tokens.txt'),
      `viewer ${'v'.repeat(40)}\noperator ${'o'.repeat(40)}\n`,
      {
        mode: 0o600,
      },
    );
    const [command] = JSON.parse(steps(serving, 'ENTRYPOINT')[0]) as string[];
    const args = (JSON.parse(steps(serving, 'CMD')[0]) as string[]).map(here);
    const server = spawn(command!, args, {
      cwd: join(project, 'data'),
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      let said = '';
      await new Promise<void>((resolve) => {
        server.stderr.on('data', (text) => {
          said += text;
          if (said.includes('Serving on')) resolve();
        });
        server.on('exit', () => resolve());
      });
      const check = here(steps(serving, 'HEALTHCHECK')[0].replace(/^CMD /, ''));
      expect(spawnSync('sh', ['-c', check], { env }).status, said).toBe(0);
    } finally {
      server.kill('SIGTERM');
      await new Promise((resolve) => server.on('exit', resolve));
    }
    expect(
      spawnSync(
        'sh',
        ['-c', here('node -e "fetch(\'http://127.0.0.1:7717/healthz\').catch(() => process.exit(1))"')],
        { env },
      ).status,
    ).toBe(1);
  });
});

describeInChromium('the pages', (opened) => {
  let server: Server;
  let address: string;
  const site = join(project, 'site');
  beforeAll(async () => {
    mkdirSync(join(site, 'plain'), { recursive: true });
    cpSync(join(root, 'examples/page'), join(site, 'plain'), { recursive: true });
    const client = join(project, 'node_modules/@hushrec/client/bundle');
    for (const file of readdirSync(client).filter((name) => name.endsWith('.js')))
      cpSync(join(client, file), join(site, 'plain', file));
    cpSync(join(project, 'models'), join(site, 'plain/models'), { recursive: true });
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const file = join(site, path.endsWith('/') ? `${path}index.html` : path);
      if (!existsSync(file)) return response.writeHead(404).end();
      const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
      response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
      return response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = server.address();
    address = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}`;
  });
  afterAll(async () => {
    server?.close();
  });

  it('the plain page recommends, and more so after a like', async () => {
    const page = await opened.browser.newPage();
    await page.goto(`${address}/plain/`);
    await page.getByText('Trained with ε = 1 per user.').waitFor();
    const titles = () => page.locator('li').allTextContents();
    const before = await titles();
    expect(before).toHaveLength(10);
    await page.locator('button').first().click();
    expect(await titles()).not.toContain(before[0]);
    await page.close();
  });

  it('the React example compiles, builds and recommends', async () => {
    lend('react', 'react-dom', '@types/react', '@types/react-dom', 'scheduler', 'csstype');
    const example = join(project, 'react');
    cpSync(join(root, 'examples/react'), example, { recursive: true });
    run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), '-p', example);
    await build({
      entryPoints: [join(example, 'src/main.tsx')],
      outfile: join(site, 'react/main.js'),
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      minify: true,
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    cpSync(join(example, 'index.html'), join(site, 'react/index.html'));
    cpSync(join(project, 'models'), join(site, 'models'), { recursive: true });
    const page = await opened.browser.newPage();
    await page.goto(`${address}/react/`);
    await page.getByText('Trained with ε = 1 per user.').waitFor();
    expect(await page.locator('li').count()).toBe(10);
    const first = await page.locator('li').first().textContent();
    await page
      .getByRole('button', { name: /5 of 5$/ })
      .first()
      .click();
    expect(await page.locator('li').allTextContents()).not.toContain(first);
    await page.close();
  });

  it('the page of the guide for Next.js is rendered on a server, and recommends in the browser', async () => {
    const next = join(project, 'next');
    for (const folder of ['app', 'lib']) mkdirSync(join(next, folder), { recursive: true });
    writeFileSync(join(next, 'app/page.jsx'), codeOf('jsx', 'Page'));
    // As the guide says.
    for (const file of ['recommended-for-you.tsx', 'use-recommendations.ts']) {
      const source = readFileSync(join(root, 'examples/react/src', file), 'utf8');
      const begun = file.startsWith('recommended') ? `'use client';\n${source}` : source;
      writeFileSync(
        join(next, 'lib', file),
        begun.replace("'./use-recommendations.js'", "'./use-recommendations'"),
      );
    }
    const around = `import { createElement } from 'react';\nimport Page from './app/page';\n`;
    writeFileSync(
      join(next, 'server.jsx'),
      `${around}import { renderToString } from 'react-dom/server';\nconsole.log(renderToString(createElement(Page)));\n`,
    );
    writeFileSync(
      join(next, 'browser.jsx'),
      `${around}import { hydrateRoot } from 'react-dom/client';\nhydrateRoot(document.querySelector('#root'), createElement(Page));\n`,
    );
    const common = {
      ...({ bundle: true, jsx: 'automatic', logLevel: 'silent' } as const),
      define: { 'process.env.NODE_ENV': '"production"' },
    };
    const server = join(next, 'server.cjs');
    await build({ ...common, entryPoints: [join(next, 'server.jsx')], outfile: server, platform: 'node' });
    const rendered = run(process.execPath, server).trim();
    expect(rendered).toContain('Loading …');
    const script = join(site, 'next/browser.js');
    await build({ ...common, entryPoints: [join(next, 'browser.jsx')], outfile: script, format: 'esm' });
    writeFileSync(
      join(site, 'next/index.html'),
      `<!doctype html><meta charset="utf-8"><div id="root">${rendered}</div><script type="module" src="browser.js"></script>`,
    );
    cpSync(join(project, 'models'), join(site, 'models'), { recursive: true });
    const page = await opened.browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${address}/next/`);
    await page.getByText('Trained with ε = 2 per user.').waitFor();
    expect(await page.locator('li').count()).toBe(10);
    expect(problems.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
    await page.close();
  });
});
