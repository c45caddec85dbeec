import { createHash } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type CertificateStatement, fileNames } from '@hushrec/model';
import { readModelFolder } from '@hushrec/model/folder';
import { afterEach, describe, expect, it } from 'vitest';
import { writeModelFolder } from '../../../packages/train/src/publish/write-folder.js';
import { networkOf } from './protection/require-role.js';
import { defaultLimits } from './server-context.js';
import type { Run } from './state/run.js';
import { startRun, startTestServer, type TestServer } from './testing/test-server.test.data.js';

let server: TestServer | undefined;
afterEach(() => server?.close());
const wrong = { headers: { authorization: 'Bearer wrong-wrong-wrong-wrong' } };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a server under abuse', () => {
  it('hears a right token after any number of wrong ones and requests from the same address', async () => {
    server = await startTestServer({
      limits: { wrongTokens: { burst: 10, perSecond: 0 }, requests: { burst: 40, perSecond: 0 } },
    });
    const statuses = [];
    for (let k = 0; k < 30; k++) statuses.push((await server.ask('/api/models', wrong)).status);
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(20).fill(429)]);
    for (let k = 0; k < 50; k++) await server.ask('/api/models');
    expect((await server.ask('/api/models')).status).toBe(429);
    expect((await server.asOperator('/api/datasets')).status).toBe(200);
    expect((await server.post('/api/plans', {})).status).toBe(400);
  });

  it('does not let one viewer take the event streams of others or of operators', async () => {
    const streams = { total: 12, reservedForOperators: 3, perViewer: 6 };
    server = await startTestServer({ limits: { streams } });
    const { id } = (await (
      await startRun(server.post, {
        dataset: 'sample',
        method: 'als',
        settings: {},
        model: 'slow-streams',
      })
    ).json()) as Run;
    const opened: Response[] = [];
    for (let k = 0; k < 20; k++) opened.push(await server.ask(`/api/runs/${id}/events`));
    expect(opened.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(opened.filter(({ status }) => status === 429)).toHaveLength(14);
    for (let k = 0; k < 7; k++) {
      const mine = await server.asOperator(`/api/runs/${id}/events`);
      expect(mine.status).toBe(200);
      opened.push(mine);
    }
    // The seventh took the place of the viewer's oldest stream, which ends in order.
    expect(await opened[0].text()).toContain('event: run');
    for (const { body } of opened.slice(1)) await body?.cancel().catch(() => {});
    for (let k = 0; k < 100 && (await server.ask(`/api/runs/${id}/events`)).status !== 200; k++)
      await pause(20);
  });

  it('counts a network of IPv6 as one caller', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
    expect(networkOf('2001:db8::7')).toBe('2001:db8:0:0');
    expect(networkOf('::1')).toBe('0:0:0:0');
    expect(networkOf('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(networkOf('10.0.0.1')).toBe('10.0.0.1');
  });

  it('closes connections beyond its limit, and goes on', async () => {
    server = await startTestServer({ limits: { connectionsPerAddress: 20 } });
    const sockets = Array.from({ length: 40 }, () => connect(server!.port, '127.0.0.1'));
    const closed = new Set<number>();
    for (const [k, socket] of sockets.entries())
      socket.on('error', () => {}).on('close', () => closed.add(k));
    for (let k = 0; k < 100 && closed.size < 20; k++) await pause(20);
    expect(closed.size).toBe(20);
    for (const socket of sockets) socket.destroy();
    for (let k = 0; k < 100; k++) {
      if (
        await server.ask('/healthz').then(
          ({ ok }) => ok,
          () => false,
        )
      )
        break;
      await pause(20);
    }
    expect((await server.ask('/healthz')).status).toBe(200);
  });

  it('says when it can answer and when not', async () => {
    server = await startTestServer();
    expect(await (await server.ask('/readyz')).json()).toEqual({ ok: true });
    const closing = server.close();
    server = undefined;
    await closing;
    expect(defaultLimits.streams.reservedForOperators).toBeGreaterThan(0);
  });
});

describe('a model that changes under a running server', () => {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('is served as it was checked, whatever is written into its files', async () => {
    server = await startTestServer();
    const folder = join(server.folder, 'models', 'sample-eps-1');
    const path = join(folder, fileNames.tensors);
    const large = await readModelFolder(folder);
    const rows = 20_000;
    const { usefulness: _usefulness, ...statement } = large.certificate as CertificateStatement;
    await writeModelFolder(join(server.folder, 'models', 'large'), {
      manifest: {
        ...large.manifest,
        itemIds: Array.from({ length: rows }, (_, k) => String(k)),
        titles: Array.from({ length: rows }, () => ''),
        links: Array.from({ length: rows }, () => ''),
        images: Array.from({ length: rows }, () => ''),
      },
      model: {
        kind: 'baseline',
        feedback: 'explicit',
        offset: 3,
        itemBias: Float32Array.from({ length: rows }, (_, k) => k / rows),
        userShrinkage: 1,
      },
      certificate: statement,
    });
    await pause(1100);
    for (const [id, file] of [
      ['sample-eps-1', path],
      ['large', join(server.folder, 'models', 'large', fileNames.manifest)],
    ] as const) {
      const address = `/models/${id}/${file.split('/').at(-1)}`;
      const before = sha256(readFileSync(file));
      expect(sha256(new Uint8Array(await (await server.ask(address)).arrayBuffer()))).toBe(before);
      const descriptor = openSync(file, 'r+');
      writeSync(descriptor, 'damage', statSync(file).size >> 1);
      closeSync(descriptor);
      expect(sha256(readFileSync(file))).not.toBe(before);
      const after = await server.ask(address);
      expect(after.headers.get('etag')).toContain(before.slice(0, 32));
      expect(sha256(new Uint8Array(await after.arrayBuffer()))).toBe(before);
    }
  });

  it('is published again as soon as a damaged file is mended, whichever it is', async () => {
    server = await startTestServer();
    const folder = join(server.folder, 'models', 'sample-eps-1');
    const certificate = readFileSync(join(folder, fileNames.certificate));
    const tensors = readFileSync(join(folder, fileNames.tensors));
    const ids = async () => {
      await pause(1100);
      const { models } = (await (await server!.ask('/api/models')).json()) as { models: { id: string }[] };
      return models.map(({ id }) => id);
    };
    const put = (name: string, bytes: Uint8Array) => {
      writeFileSync(join(folder, `${name}.new`), bytes);
      renameSync(join(folder, `${name}.new`), join(folder, name));
    };
    put(fileNames.tensors, Buffer.from(tensors).fill(1, 200, 220));
    // Read again because its certificate is another file.
    put(fileNames.certificate, certificate);
    expect(await ids()).not.toContain('sample-eps-1');
    expect(await ids()).not.toContain('sample-eps-1');
    put(fileNames.tensors, tensors);
    expect(await ids()).toContain('sample-eps-1');
  });

  it('is no longer published when its certificate was edited, with the reason, or when its folder is gone', async () => {
    server = await startTestServer();
    const models = join(server.folder, 'models');
    const listed = async () => {
      await pause(1100);
      return (await (await server!.ask('/api/models')).json()) as {
        models: { id: string }[];
        broken: { id: string; problem: string }[];
      };
    };
    const certificate = join(models, 'sample-eps-1', fileNames.certificate);
    const text = readFileSync(certificate, 'utf8').replace(/"epsilon": [0-9.]+/, '"epsilon": 0.001');
    const descriptor = openSync(`${certificate}.new`, 'w');
    writeSync(descriptor, text);
    closeSync(descriptor);
    renameSync(`${certificate}.new`, certificate);
    const edited = await listed();
    expect(edited.models.map(({ id }) => id)).not.toContain('sample-eps-1');
    expect(edited.broken).toMatchObject([{ id: 'sample-eps-1' }]);
    expect(edited.broken[0].problem).toMatch(/changed after it was issued|not in canonical form/);
    rmSync(join(models, 'sample-eps-5'), { recursive: true });
    expect((await listed()).models.map(({ id }) => id)).toEqual(['sample-no-privacy']);
  });
});
