// Kills roles of a federated run, each a command of its own that talks TLS, with SIGKILL at random moments
// and starts them again, over and over. Every run must end with a log that verifies, with the same model at
// every party and nothing published twice.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomOf } from '../random.mjs';

const program = fileURLToPath(new URL('../../../apps/cli/bin/hushrec.js', import.meta.url));

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function now(folder, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HUSHREC_LEDGER: join(folder, 'ledger.sqlite') },
  });
  if (status !== 0) throw new Error(`hushrec ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Keeps a role running until it ends by itself; `strike` kills it and it is started again. */
function keep(folder, kind, args, wasKilled) {
  let child;
  let over = false;
  const done = (async () => {
    for (;;) {
      child = spawn(process.execPath, [program, ...args], {
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, HUSHREC_LEDGER: join(folder, `${args[2]}.sqlite`) },
      });
      let errors = '';
      child.stderr.on('data', (chunk) => {
        errors += chunk;
      });
      const { code, signal } = await new Promise((resolve) =>
        child.on('close', (code, signal) => resolve({ code, signal })),
      );
      if (signal === 'SIGKILL') continue;
      over = true;
      if (code !== 0) throw new Error(`${kind} ended with ${code}: ${errors.slice(-500)}`);
      return;
    }
  })();
  return {
    done,
    end: () => child?.kill('SIGTERM'),
    strike: () => {
      if (over || child === undefined || child.exitCode !== null) return false;
      wasKilled(kind);
      return child.kill('SIGKILL');
    },
  };
}

const parties = ['a', 'b', 'c'];
const aggregators = ['north', 'south'];
const card = (name) => `${name}/identity.json`;
/** Arguments of a command, as they would be typed. */
const words = (line) => line.trim().split(/\s+/);

/** Data of every party, everyone's identity, and a signed charter. Gives the address of each role. */
async function prepare(folder) {
  for (const [k, name] of parties.entries())
    now(folder, ...words(`generate ${name}-data --people 40 --items 30 --ratings 500 --seed ${k + 1}`));
  const listen = {};
  for (const name of ['board', ...aggregators, ...parties]) {
    listen[name] = `127.0.0.1:${await freePort()}`;
    now(folder, ...words(`federate identity ${name} --name ${name} --url https://${listen[name]}`));
  }
  const request = {
    ...{ catalogue: 'a-data', method: 'dpals', settings: { rounds: 2 }, epsilon: 20, people: 200 },
    ...{ coordinator: card('board'), aggregators: aggregators.map(card), parties: parties.map(card) },
  };
  writeFileSync(join(folder, 'run.json'), JSON.stringify(request));
  now(folder, ...words('federate charter run run.json'));
  for (const name of aggregators) now(folder, ...words(`federate sign run/charter.json --identity ${name}`));
  return listen;
}

/** Starts every role, each to be started again when it is killed. */
function startRoles(folder, listen, wasKilled) {
  const start = (kind, name, rest) =>
    keep(folder, kind, words(`federate ${kind} ${name} --charter run/charter.json ${rest}`), wasKilled);
  return [
    ...aggregators.map((name) => start('aggregator', name, `--listen ${listen[name]}`)),
    start('coordinator', 'board', `--out model --overwrite --linger 20 --listen ${listen.board}`),
    ...parties.map((name) =>
      start(
        'party',
        name,
        `--ratings ${name}-data --trust ${card('north')} --new-ledger --out model-${name} --overwrite`,
      ),
    ),
  ];
}

/** Kills roles at random moments until all of them are done. */
async function strikeUntilDone(roles, random, isEnough) {
  let ended = false;
  const all = Promise.all(roles.map(({ done }) => done)).finally(() => {
    ended = true;
  });
  all.catch(() => undefined);
  // Processes take about a second to start: strikes come at any moment of that and of what follows.
  while (!ended && !isEnough()) {
    await new Promise((resolve) => setTimeout(resolve, 200 + random.below(2500)));
    roles[random.below(roles.length)].strike();
  }
  await all;
}

/** The log verifies, and every party has the coordinator's model. */
function checkOutcome(folder) {
  const board = readdirSync(join(folder, 'board')).find((name) => name.startsWith('run-'));
  now(folder, 'verify', 'model', '--log', join('board', board));
  const vectorsIn = (model) => join(folder, model, 'item-factors.safetensors');
  const bytes = readFileSync(vectorsIn('model'));
  for (const name of parties) {
    const own = vectorsIn(`model-${name}`);
    if (!existsSync(own) || !readFileSync(own).equals(bytes))
      throw new Error(`party ${name} has another model`);
  }
}

/** One run after another, until so many roles were killed. */
export async function killFederation(most, report) {
  const random = randomOf(1, 0);
  let kills = 0;
  const wasKilled = (kind) => {
    kills++;
    report.tried(`${kind} killed`);
  };
  while (kills < most) {
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-kills-'));
    let roles = [];
    try {
      roles = startRoles(folder, await prepare(folder), wasKilled);
      await strikeUntilDone(roles, random, () => kills >= most);
      checkOutcome(folder);
    } catch (error) {
      report.fault(`after ${kills} kills`, error.message);
      return;
    } finally {
      // Where one failed the others would wait for it.
      for (const { end } of roles) end();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
