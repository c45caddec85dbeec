import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { selfSignedCertificate } from '@hushrec/federate/node';
import { freePort } from '@hushrec/testing';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { runCommand } from '../run-command.test.data.js';
import { hushrec } from '../started-command.test.data.js';

/** A shell block of the guide: the machine it is for, and whether its command goes on running. */
interface Block {
  readonly machine: string;
  readonly runs: boolean;
  readonly commands: readonly string[];
}

export const guide = readFileSync(new URL('../../../../docs/guides/federated.md', import.meta.url), 'utf8');
const blocksOf = (section: string): Block[] =>
  [...section.matchAll(/```sh\n# on (\w+)([^\n]*)\n([^`]*)```/g)].map(([, machine, rest, text]) => ({
    machine: machine,
    runs: rest.includes('keep running'),
    commands: text.trim().split('\n'),
  }));
const [, ofParties, ofSite] = guide.split(/^(?=## Three parties|## A site with)/m);
export const partyBlocks = blocksOf(ofParties);
export const siteBlocks = blocksOf(ofSite);

/** A request for a charter, as the guide writes it down: the file, the machine it is on, and its fields. */
export interface RequestBlock {
  readonly file: string;
  readonly machine: string;
  readonly fields: Readonly<Record<string, unknown>>;
}
const requestOf = (section: string): RequestBlock => {
  const [, file, machine, text] = /`([\w-]+\.json)` on (\w+)[^`]*(?:`[^`]+`[^`]*)?```json\n([^`]*)```/.exec(
    section,
  )!;
  return { file, machine, fields: JSON.parse(text) as RequestBlock['fields'] };
};
export const partyRequest = requestOf(ofParties);
export const siteRequest = requestOf(ofSite);

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

/** A command that goes on running. */
export interface Role {
  readonly command: string;
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has said to people so far. */
  readonly said: () => string;
}

/** The machines of a guide: a folder each, addresses of this machine in place of theirs. */
export class Machines {
  readonly #root: string;
  readonly #names: readonly string[];
  readonly #addresses = new Map<string, string>();
  readonly #listens = new Map<string, string>();
  readonly #running = new Set<ChildProcess>();
  readonly #proxies: Server[] = [];
  /** Of the proxies: machines believe it as they believe a public authority's. */
  readonly certificate = selfSignedCertificate('127.0.0.1');
  /** Reports as the proxies passed them on, in the clear: by path. */
  readonly carried = new Map<string, Buffer>();

  constructor(root: string, names: readonly string[]) {
    this.#root = root;
    this.#names = names;
    for (const name of names) mkdirSync(this.at(name), { recursive: true });
    writeFileSync(this.at('authority.pem'), this.certificate.cert);
  }

  at(machine: string, ...path: string[]): string {
    return join(this.#root, machine, ...path);
  }

  async address(...names: string[]): Promise<void> {
    for (const name of names)
      this.#addresses.set(name, name.includes(':') ? `127.0.0.1:${await freePort()}` : '127.0.0.1');
  }

  end(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  /** A proxy at an address of the guide, before a role that listens where the guide says. */
  async proxy(address: string, listen: string): Promise<void> {
    const port = await freePort();
    this.#listens.set(listen, `127.0.0.1:${port}`);
    const { key, cert } = this.certificate;
    const server = createServer({ key, cert }, async (request, response) => {
      const { method, headers, url: path = '' } = request;
      const body = Buffer.concat(await request.toArray());
      if (method === 'PUT') this.carried.set(`${address}${path}`, body);
      const passed = httpRequest({ host: '127.0.0.1', port, method, headers, path }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.writeHead(502).end());
      passed.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#proxies.push(server);
    this.#addresses.set(address, `127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  closeProxies(): void {
    for (const server of this.#proxies) {
      server.close();
      server.closeAllConnections();
    }
  }

  /** What the guide leaves to people: cards and charters are passed round. */
  passOn(from: string): void {
    for (const to of this.#names.filter((machine) => machine !== from))
      for (const name of readdirSync(this.at(from)))
        for (const file of ['identity.json', 'charter.json', 'catalogue.json'])
          if (existsSync(this.at(from, name, file)) && !existsSync(this.at(to, name, 'signing-key.pem'))) {
            mkdirSync(this.at(to, name), { recursive: true });
            copyFileSync(this.at(from, name, file), this.at(to, name, file));
          }
  }

  #addressed(command: string): string {
    const addressed = [...this.#addresses].reduce(
      (line, [from, to]) => line.replaceAll(`https://${from}`, `https://${to}`),
      command,
    );
    return [...this.#listens].reduce(
      (line, [from, to]) => line.replace(`--listen ${from}`, `--listen ${to}`),
      addressed,
    );
  }

  /** In this process, which saves the start of another; what is for a shell goes to a shell. */
  async run(machine: string, command: string): Promise<Ended> {
    if (command.includes('*') || !command.startsWith('hushrec ')) return this.start(machine, command).ended;
    const before = process.cwd();
    process.chdir(this.at(machine));
    try {
      return await runCommand(...this.#addressed(command).split(/\s+/).slice(1));
    } finally {
      process.chdir(before);
    }
  }

  /** Waits for roles to end; the coordinator is told to when all others have. */
  async allEnd(roles: readonly Role[]): Promise<void> {
    const isCoordinator = ({ command }: Role) => / coordinator /.test(command);
    const good = ({ code, errors }: Ended) => expect(code, errors).toBe(0);
    for (const { ended } of roles.filter((role) => !isCoordinator(role))) good(await ended);
    for (const role of roles.filter(isCoordinator)) {
      await this.says(role, /^written/m);
      role.child.kill('SIGINT');
      good(await role.ended);
    }
  }

  /** Waits until a role has said so. */
  async says({ said, ended }: Role, words: RegExp): Promise<void> {
    const early = ended.then(({ errors }) => Promise.reject(new Error(errors)));
    early.catch(() => undefined);
    while (!words.test(said()))
      await Promise.race([new Promise((resolve) => setTimeout(resolve, 50)), early]);
  }

  start(machine: string, command: string): Role {
    let line = this.#addressed(command);
    // The guide's machines listen on all interfaces and wait a while for latecomers; here one interface will
    // do, and whoever keeps the log is told when all have read it.
    if (/ (aggregator|coordinator|issue) /.test(line)) {
      const name = line.split(' ')[3];
      const { url } = JSON.parse(readFileSync(this.at(machine, name, 'identity.json'), 'utf8')) as {
        url: string;
      };
      if (!line.includes('--listen')) line += ` --listen ${new URL(url).host}`;
      if (line.includes('coordinator')) line += ' --linger 86400';
    }
    const child = spawn('sh', ['-c', line.replace(/^hushrec/, `exec "${process.execPath}" "${hushrec}"`)], {
      cwd: this.at(machine),
      env: {
        ...process.env,
        NODE_EXTRA_CA_CERTS: this.at('authority.pem'),
        HUSHREC_LEDGER: '',
        ...(/ party /.test(line) && { HUSHREC_LEDGER: this.at(machine, 'ledger.sqlite') }),
      },
    });
    this.#running.add(child);
    let text = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = new Promise<Ended>((resolve) =>
      child.on('close', (code) => {
        this.#running.delete(child);
        resolve({ code: code ?? -1, text, errors });
      }),
    );
    return { command, child, ended, said: () => errors };
  }

  /** `hushrec serve` as the guide says it, at a free port; its address. */
  async serve(machine: string, command: string): Promise<{ readonly url: string; stop(): void }> {
    const { child } = this.start(machine, `${command} --port 0`);
    let said = '';
    for await (const line of createInterface({ input: child.stderr! })) {
      said += `${line}\n`;
      const url = /Serving on (\S+)/.exec(said)?.[1];
      if (url !== undefined) return { url, stop: () => void child.kill('SIGKILL') };
    }
    throw new Error(said);
  }
}

export const isServe = (command: string) => command.startsWith('hushrec serve');
export const itemTable = `item,title\n${Array.from({ length: 20 }, (_, item) => `book-${item},Title ${item}`).join('\n')}\n`;

/** A visitor of the page: recommendations from the model before and after rating something. */
export async function rateInPage(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('link', { name: 'Try it on your taste' }).click();
  await page.waitForSelector('ol.ranking li', { timeout: 0 });
  const recommended = () => page.locator('ol.ranking .item-title').allTextContents();
  for (const title of await recommended()) expect(title).toMatch(/^Title \d+$/);
  const toRate = page.locator('ul[aria-label="Items to rate"] li');
  const rated = await toRate.first().locator('.item-title').textContent();
  await toRate.first().locator('label').last().click();
  await expect.poll(recommended).not.toContain(rated);
  expect(await recommended()).not.toEqual([]);
  expect(await page.locator('#request-count').textContent(), 'ratings stay in the browser').toBe('0');
}
