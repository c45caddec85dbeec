import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, type ServerOptions, startServer } from '../start-server.js';
import type { RunRequest } from '../state/run.js';
import {
  smallPicture,
  writeSampleComparison,
  writeSampleDataset,
  writeSampleModels,
} from './sample-models.test.data.js';
import { writeScriptedCommandLine } from './scripted-command-line.test.data.js';

export interface TestServer extends RunningServer {
  readonly folder: string;
  readonly log: string[];
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  readonly asOperator: (path: string, init?: RequestInit) => Promise<Response>;
  readonly post: Post;
}

type Post = (path: string, body: unknown) => Promise<Response>;

/** Asks for the plan of a run and starts it, as the page does. */
export async function startRun(post: Post, body: object): Promise<Response> {
  const {
    evaluate: _,
    recordUnprotected: _told,
    publishFrom: _rule,
    ...planned
  } = body as Partial<RunRequest>;
  const { hash = '0'.repeat(64) } = (await (await post('/api/plans', planned)).json()) as { hash?: string };
  return post('/api/runs', { plan: hash, ...body });
}

/**
 * A real server on a free port with sample models of public data, one data set and a scripted command line.
 */
export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hushrec-server-'));
  const models = join(folder, 'models');
  mkdirSync(models);
  await writeSampleModels(models);
  writeSampleDataset(join(folder, 'data'));
  writeSampleComparison(join(folder, 'reports'));
  mkdirSync(join(folder, 'pictures'));
  writeFileSync(join(folder, 'pictures', 'winter.png'), smallPicture);
  const log: string[] = [];
  const server = await startServer({
    models,
    data: join(folder, 'data'),
    reports: join(folder, 'reports'),
    pictures: join(folder, 'pictures'),
    port: 0,
    publicData: true,
    commandLine: writeScriptedCommandLine(folder),
    writeLog: (text) => log.push(text),
    graceMs: 5000,
    ...options,
  }).catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const ask = (path: string, init?: RequestInit) => fetch(server.url + path, init);
  const asOperator = (path: string, init: RequestInit = {}) =>
    ask(path, { ...init, headers: { ...init.headers, authorization: `Bearer ${server.operatorToken}` } });
  return {
    ...server,
    folder,
    log,
    ask,
    asOperator,
    post: (path, body) =>
      asOperator(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
