import { cpSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { SimilarItems } from '@hushrec/recommend';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sampleItemIds } from './testing/sample-models.test.data.js';
import { startTestServer, type TestServer } from './testing/test-server.test.data.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
const body = async (response: Response) => (await response.json()) as Record<string, never>;

describe('models', () => {
  it('shows figures measured on private ratings to operators alone', async () => {
    for (const path of ['/api/models/sample-eps-1', '/api/models/sample-eps-5']) {
      expect((await body(await server.ask(path)))['metrics']).toBeNull();
      expect((await body(await server.asOperator(path)))['metrics']).toMatchObject({ protocol: 'holdout' });
    }
    expect((await body(await server.ask('/api/models/sample-no-privacy')))['metrics']).not.toBeNull();
    expect(await (await server.ask('/api/models')).text()).not.toMatch(/sample-eps-1[^}]*"rmse"/);
  });

  it('lists them with their guarantees', async () => {
    const { models, broken } = await body(await server.ask('/api/models'));
    expect(models as object[]).toMatchObject([
      { id: 'sample-eps-1', unit: 'user', delta: 1e-6, items: sampleItemIds.length },
      { id: 'sample-eps-5', unit: 'user' },
      { id: 'sample-no-privacy', unit: 'none', epsilon: null },
    ]);
    expect(broken).toEqual([]);
  });

  it('publishes files with tags, ranges and conditional requests', async () => {
    const whole = await server.ask('/models/sample-eps-1/item-factors.safetensors');
    const bytes = new Uint8Array(await whole.arrayBuffer());
    const tag = whole.headers.get('etag')!;
    expect(whole.status).toBe(200);
    const part = await server.ask('/models/sample-eps-1/item-factors.safetensors', {
      headers: { range: 'bytes=8-99' },
    });
    expect(part.status).toBe(206);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(8, 100));
    const again = await server.ask('/models/sample-eps-1/item-factors.safetensors', {
      headers: { 'if-none-match': tag },
    });
    expect(again.status).toBe(304);
    const { files } = (await (await server.ask('/api/models/sample-eps-1')).json()) as {
      files: Record<string, string>;
    };
    expect(`"${files['item-factors.safetensors']}"`).toBe(tag);
  });

  it('packs what the interface answers, for those who take it packed', async () => {
    const bytesOf = (encoding: string) =>
      new Promise<number>((resolve) => {
        const headers = { 'accept-encoding': encoding };
        request(`${server.url}/api/methods`, { headers }, (response) => {
          let bytes = 0;
          response.on('data', (part: Buffer) => (bytes += part.length)).on('end', () => resolve(bytes));
        }).end();
      });
    expect(await bytesOf('gzip')).toBeLessThan((await bytesOf('identity')) / 3);
  });

  it('gives the certificate as it was issued', async () => {
    const issued = await (await server.ask('/models/sample-eps-1/certificate.json')).text();
    expect(await (await server.ask('/api/models/sample-eps-1/certificate')).text()).toBe(issued);
    expect(JSON.parse(issued).releases).toHaveLength(1);
  });

  it('searches the catalogue', async () => {
    const { items, total } = await body(
      await server.ask('/api/models/sample-eps-1/items?q=harbour%20gar&limit=5'),
    );
    expect(items).toEqual([{ id: 'item-0-4', title: 'Harbour Garden' }]);
    expect(total).toBe(sampleItemIds.length);
    expect((await server.ask('/api/models/sample-eps-1/items?limit=0')).status).toBe(400);
  });

  it('gives items like an item, and names what is not there', async () => {
    const ask = (query: string) => server.ask(`/api/models/sample-eps-1/similar?${query}`);
    const { items, tooNoisy } = (await (await ask('item=item-0-4&limit=3')).json()) as SimilarItems;
    expect(items).toHaveLength(3);
    expect(items.map(({ id }) => id)).not.toContain('item-0-4');
    expect(items[0].similarity).toBeGreaterThanOrEqual(items[1].similarity);
    expect(tooNoisy).toBe(false);
    const idsOf = async (query: string) =>
      ((await (await ask(`item=item-0-4&limit=3&${query}`)).json()) as SimilarItems).items.map(
        ({ id }) => id,
      );
    const [first, second, third] = items.map(({ id }) => id);
    expect(await idsOf(`exclude=${first}`)).toEqual([second, third, expect.any(String)]);
    expect(await idsOf(`only=${third}&only=${second}&only=item-0-4`)).toEqual([second, third]);
    expect(await idsOf(`only=${third}&only=${second}&exclude=${second}`)).toEqual([third]);
    expect((await ask('item=none')).status).toBe(404);
    expect((await ask('limit=3')).status).toBe(400);
    expect((await server.ask('/api/models/none/similar?item=item-0-4')).status).toBe(404);
  });

  it('addresses a model by its hash, also just after another took its place', async () => {
    const swapped = await startTestServer();
    try {
      const names = ['certificate.json', 'model.json', 'item-factors.safetensors', 'CERTIFICATE.md'];
      const hashOf = async (id: string) => (await body(await swapped.ask(`/api/models/${id}`)))['hash'];
      const filesAt = (address: string) =>
        Promise.all(names.map(async (name) => (await swapped.ask(`/models/${address}/${name}`)).text()));
      const [first, second] = [await hashOf('sample-eps-1'), await hashOf('sample-eps-5')];
      const before = await filesAt('sample-eps-1');
      const after = await filesAt('sample-eps-5');
      expect(JSON.parse(before[0]).hash).toBe(first);
      expect(await filesAt(`sample-eps-1/@${first}`)).toEqual(before);
      expect((await swapped.ask(`/models/sample-eps-1/@${second}/model.json`)).status).toBe(404);

      const place = (name: string) => join(swapped.folder, 'models', name);
      cpSync(place('sample-eps-5'), place('.next'), { recursive: true });
      renameSync(place('sample-eps-1'), place('.old'));
      renameSync(place('.next'), place('sample-eps-1'));
      expect(await filesAt(`sample-eps-1/@${second}`)).toEqual(after);
      expect(await filesAt(`sample-eps-1/@${first}`)).toEqual(before);
      expect(await hashOf('sample-eps-1')).toBe(second);
      const kept = async (name: string) =>
        (await swapped.ask(`/models/sample-eps-1/@${second}/${name}`)).headers.get('cache-control');
      expect(await kept('model.json')).toMatch(/immutable/);
      // It may be signed later, under the same hash.
      expect(await kept('certificate.json')).toMatch(/no-cache/);
    } finally {
      await swapped.close();
    }
  });

  it('does not publish a folder whose bytes are not those of its certificate, and says so', async () => {
    const broken = await startTestServer();
    try {
      const file = join(broken.folder, 'models', 'sample-eps-5', 'model.json');
      const changed = (await (await broken.ask('/models/sample-eps-5/model.json')).text()).replace(
        'Harbour',
        'Harvour',
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
      writeFileSync(file, changed);
      writeFileSync(join(broken.folder, 'models', 'sample-eps-5', 'metrics.json'), '{"metrics": {}}');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const { models, broken: names } = await body(await broken.ask('/api/models'));
      expect((models as { id: string }[]).map(({ id }) => id)).toEqual(['sample-eps-1', 'sample-no-privacy']);
      expect(JSON.stringify(names)).toContain('sample-eps-5');
      expect(JSON.stringify(names)).not.toContain(broken.folder);
      expect((await broken.ask('/models/sample-eps-5/model.json')).status).toBe(404);
    } finally {
      await broken.close();
    }
  });
});

describe('what is refused', () => {
  /** Sends the path as it is: `fetch` would tidy it up. */
  const rawStatus = (path: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      request({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });

  it.each([
    '/models/../../etc/passwd',
    '/models/sample-eps-1/../../data/sample/dataset.json',
    '/models/sample-eps-1/..%2f..%2fdata%2fsample%2fdataset.json',
    '/models/..%2f..%2f..%2fetc/passwd',
    '/models/%2e%2e/data/sample/dataset.json',
    '/models/sample-eps-1/%00',
    '/models/sample-eps-1/model.json%00.txt',
    '/..%5c..%5cwindows/win.ini',
    '/index.html/../../package.json',
    '/models.server.sqlite',
    '/models/..%2fmodels.server.sqlite/x',
    '/models/sample-eps-1/.',
    '//etc/passwd',
  ])('path %s', async (path) => {
    expect(await rawStatus(path)).toBe(404);
  });

  it('bodies that are too large, declared or not', async () => {
    const large = JSON.stringify({ dataset: 'x'.repeat(70_000) });
    const declared = await server.asOperator('/api/plans', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: large,
    });
    expect(declared.status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        for (let k = 0; k < 20; k++) controller.enqueue(new TextEncoder().encode('x'.repeat(10_000)));
        controller.close();
      },
    });
    const chunked = await server
      .asOperator('/api/plans', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: stream,
        duplex: 'half',
      } as RequestInit)
      .then((response) => response.status);
    expect(chunked).toBe(413);
  });

  it('other sites, by any sign of them', async () => {
    for (const path of ['/api/models', '/models/sample-eps-1/model.json', '/api/runs']) {
      expect(await rawStatus(path, { origin: 'https://evil.example' })).toBe(403);
      expect(await rawStatus(path, { 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await rawStatus(path, { host: 'evil.example' })).toBe(403);
    }
    const answer = await server.ask('/api/models');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('other names, and says which it saw and what to do; health answers to any', async () => {
    const other = await startTestServer({ hostNames: ['Shop.Example:443'] });
    const asked = (path: string, host: string) =>
      new Promise<[number, string]>((resolve, reject) => {
        const ask = request({ host: '127.0.0.1', port: other.port, path, headers: { host } }, (response) => {
          let text = '';
          response
            .on('data', (part) => (text += part))
            .on('end', () => resolve([response.statusCode!, text]));
        });
        ask.on('error', reject).end();
      });
    try {
      for (const host of ['shop.example', 'SHOP.example:8080', 'shop.example.'])
        expect((await asked('/api/models', host))[0], host).toBe(200);
      const [status, text] = await asked('/api/models', '127.0.0.1:7717');
      expect(status).toBe(403);
      expect(text).toContain('Host “127.0.0.1:7717”');
      expect(text).toContain('--host-name');
      for (const path of ['/healthz', '/readyz'])
        expect((await asked(path, '127.0.0.1:7717'))[0], path).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('everything an operator may do, to others', async () => {
    expect((await server.ask('/api/datasets')).status).toBe(403);
    const run = { dataset: 'sample', method: 'dpals', epsilon: 1, delta: 1e-6, settings: {}, model: 'new' };
    const asViewer = await server.ask('/api/runs', {
      method: 'POST',
      body: JSON.stringify(run),
      headers: { 'content-type': 'application/json' },
    });
    expect(asViewer.status).toBe(403);
  });

  it('wrong tokens, and soon more of them from there; a right one is always heard', async () => {
    const other = await startTestServer({ limits: { wrongTokens: { burst: 3, perSecond: 0 } } });
    try {
      const attempt = () =>
        other.ask('/api/models', { headers: { authorization: 'Bearer wrong-wrong-wrong-wrong' } });
      const statuses = [];
      for (let k = 0; k < 5; k++) statuses.push((await attempt()).status);
      expect(statuses).toEqual([401, 401, 401, 429, 429]);
      expect((await other.asOperator('/api/datasets')).status).toBe(200);
      expect((await other.ask('/api/models')).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('more requests than the limit', async () => {
    const other = await startTestServer({ limits: { requests: { burst: 5, perSecond: 0 } } });
    try {
      const statuses = [];
      for (let k = 0; k < 7; k++) statuses.push((await other.ask('/healthz')).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    } finally {
      await other.close();
    }
  });

  it('a body that arrives too slowly', async () => {
    const other = await startTestServer({ limits: { requestMs: 500 } });
    try {
      // Whole it would be after 100 seconds.
      const status = await new Promise<number>((resolve, reject) => {
        const slow = request(
          {
            host: '127.0.0.1',
            port: other.port,
            path: '/api/plans',
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'content-length': 1000,
              authorization: `Bearer ${other.operatorToken}`,
            },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode!);
          },
        );
        slow.on('error', reject);
        slow.write('{');
        const timer = setInterval(() => slow.write(' '), 100);
        slow.on('close', () => clearInterval(timer));
      });
      expect(status).toBe(408);
    } finally {
      await other.close();
    }
  });

  it('serving beyond this machine without tokens', async () => {
    await expect(startTestServer({ host: '0.0.0.0' })).rejects.toThrow('--token-file');
  });
});

describe('with a token file', () => {
  it('asks viewers for theirs too, and still shows the page and its health', async () => {
    const tokens = join(server.folder, 'tokens');
    writeFileSync(tokens, 'viewer viewer-viewer-viewer\noperator operator-operator\n');
    const other = await startTestServer({ tokenFile: tokens, allowedOrigins: ['https://shop.example'] });
    try {
      const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
      expect((await other.ask('/api/models')).status).toBe(401);
      expect((await other.ask('/models/sample-eps-1/model.json')).status).toBe(401);
      expect((await other.ask('/metrics')).status).toBe(401);
      expect((await other.ask('/healthz')).status).toBe(200);
      expect((await other.ask('/api/models', bearer('viewer-viewer-viewer'))).status).toBe(200);
      expect((await other.ask('/api/datasets', bearer('viewer-viewer-viewer'))).status).toBe(403);
      expect((await other.ask('/api/datasets', bearer('operator-operator'))).status).toBe(200);
      const shared = await other.ask('/models/sample-eps-1/model.json', {
        headers: { origin: 'https://shop.example', authorization: 'Bearer viewer-viewer-viewer' },
      });
      expect(shared.headers.get('access-control-allow-origin')).toBe('https://shop.example');
      const api = await other.ask('/api/models', {
        headers: { origin: 'https://shop.example', authorization: 'Bearer viewer-viewer-viewer' },
      });
      expect(api.status).toBe(403);
    } finally {
      await other.close();
    }
  });
});

describe('files of the page', () => {
  it('come packed as the browser asks, and unpacked where it takes neither', async () => {
    const asked = async (accepted: string) => {
      const response = await server.ask('/', { headers: { 'accept-encoding': accepted } });
      return [response.headers.get('content-encoding'), await response.text()];
    };
    const [none, page] = await asked('identity');
    expect(none).toBeNull();
    expect(page).toContain('<!doctype html>');
    expect(await asked('gzip, deflate, br')).toEqual(['br', page]);
    expect(await asked('gzip;q=1.0, br;q=0')).toEqual(['gzip', page]);
    expect(await asked('br; q=0.0, gzip;q=0')).toEqual([null, page]);
  });
});

describe('what is said about itself', () => {
  it('describes every route as OpenAPI', async () => {
    const { openapi, paths } = await body(await server.ask('/api/openapi.json'));
    expect(openapi).toBe('3.1.0');
    expect(Object.keys(paths).sort()).toEqual([
      '/api/comparisons',
      '/api/datasets',
      '/api/ledger',
      '/api/ledger/{dataset}/grant',
      '/api/ledger/{dataset}/refuse',
      '/api/methods',
      '/api/models',
      '/api/models/{model}',
      '/api/models/{model}/certificate',
      '/api/models/{model}/items',
      '/api/models/{model}/similar',
      '/api/plans',
      '/api/runs',
      '/api/runs/{run}',
      '/api/runs/{run}/events',
      '/api/runs/{run}/publish',
      '/api/runs/{run}/resume',
      '/api/runs/{run}/stop',
    ]);
  });

  it('requires no field there that may be left out', async () => {
    const { components } = await body(await server.ask('/api/openapi.json'));
    expect(components).toMatchObject({
      schemas: {
        RunRequest: { required: ['plan', 'dataset', 'method', 'model'] },
        Run: {
          properties: {
            progress: {
              required: ['stage', 'done', 'total'],
              properties: { live: { required: ['releases'] } },
            },
          },
        },
        Model: { properties: { usefulness: { required: expect.not.arrayContaining(['vectors']) } } },
      },
    });
  });

  it('sends a policy that allows nothing from elsewhere with every answer', async () => {
    for (const path of ['/', '/api/models', '/nowhere', '/models/sample-eps-1/model.json']) {
      const { headers } = await server.ask(path);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('counts requests for Prometheus by pattern, never by name', async () => {
    await server.ask('/api/models/sample-eps-1/items?q=secret-interest');
    await server.ask('/no-such-page-17');
    expect((await server.ask('/metrics')).status).toBe(403);
    const text = await (await server.asOperator('/metrics')).text();
    expect(text).toContain('route="/api/models/:model/items",status="200"');
    expect(text).toContain('hushrec_models 3');
    expect(text).not.toMatch(/secret-interest|no-such-page/);
  });

  it('logs neither queries nor tokens nor addresses', async () => {
    await server.ask('/api/models/sample-eps-1/items?q=secret-interest');
    await server.ask('/api/models', { headers: { authorization: 'Bearer secret-token-secret-token' } });
    await new Promise((resolve) => setTimeout(resolve, 120));
    const text = server.log.join('');
    expect(text).toContain('"event":"request"');
    expect(text).not.toMatch(/secret|127\.0\.0\.1:\d+\D.*"event":"request"|item-/);
    for (const line of text.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('gives data sets as counts to operators', async () => {
    expect((await body(await server.asOperator('/api/datasets')))['datasets']).toMatchObject([
      { id: 'sample', people: 1234, items: 40, ratings: 56_789 },
    ]);
  });

  it('shows sweeps, leaving out what is not one', async () => {
    writeFileSync(
      join(server.folder, 'reports', 'comparison.json'),
      '{"rows": [{"method": 1}, null, {"method":"a","metric":"m","mean":1,"epsilon":"x"}]}',
    );
    const { comparisons } = await body(await server.asOperator('/api/comparisons'));
    expect(comparisons as object[]).toHaveLength(2);
    expect((comparisons as { rows: object[] }[])[0].rows).toMatchObject([{ method: 'a', epsilon: null }]);
    expect(comparisons[1]).toMatchObject({
      id: 'sweep',
      hasReport: true,
      slices: expect.arrayContaining([{ name: 'als', metric: 'rmse', values: [1.001, 0.951, 0.901] }]),
    });
  });

  it('gives a report as it was written, with a policy of its own', async () => {
    const report = await server.ask('/reports/sweep');
    expect(await report.text()).toContain('Sample report');
    expect(report.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'unsafe-inline'/,
    );
    expect((await server.ask('/reports/..%2fdata')).status).toBe(404);
    expect((await server.ask('/reports/comparison')).status).toBe(404);
  });
});
