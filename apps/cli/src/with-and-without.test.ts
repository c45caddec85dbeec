import '@hushrec/papers/register';
import { join } from 'node:path';
import { type Method, methods } from '@hushrec/factorize';
import type { ReleaseRecorder } from '@hushrec/privacy';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { trainArguments } from '../../server/src/jobs/train-arguments.js';
import { startServer } from '../../server/src/start-server.js';
import { importRatings } from './library/import-ratings.js';
import { train } from './library/train.js';
import { verify } from './library/verify.js';
import { runCommand } from './run-command.test.data.js';
import {
  atOneTime,
  everyone,
  neighbours,
  publishedBy,
  type Row,
  remove,
  SameReleases,
  type Side,
} from './with-and-without.test.data.js';

/**
 * The promise is about files: from two ratings files that differ by one person (or by one rating, where that
 * is the unit) to two published folders, through the doors that people use, with the same releases. What is
 * compared: every file of the published folder, to the byte; what a server with that folder answers to
 * somebody without a token; and the statistics that noise was added to, which may differ by as much as the
 * plan says and no more. What is not: what a command prints, its `--json`, the data set folder, the ledger
 * file and metrics beside the model. Those are for operators, who hold the data.
 */
const hook = vi.hoisted(() => ({
  recorder: (real: unknown) => real,
  randomBytes: undefined as ((size: number) => Buffer) | undefined,
}));
vi.mock('node:crypto', async (load) => {
  const crypto = await load<typeof import('node:crypto')>();
  return {
    ...crypto,
    randomBytes: (size: number) => hook.randomBytes?.(size) ?? crypto.randomBytes(size),
  };
});
vi.mock('@hushrec/privacy', async (load) => {
  const privacy = await load<typeof import('@hushrec/privacy')>();
  return {
    ...privacy,
    createRecorder: (...given: Parameters<typeof privacy.createRecorder>) =>
      hook.recorder(privacy.createRecorder(...given)),
  };
});
const releases = new SameReleases();
hook.randomBytes = releases.randomBytes;
hook.recorder = (real) => releases.recorder(real as ReleaseRecorder);

let sides: Side[] = [];
afterEach(() => {
  remove(sides);
  sides = [];
});

const done = async (...args: string[]) => {
  const { code, errors } = await runCommand(...args);
  expect(code, errors).toBe(0);
};

/** A door: from a file to a model folder. */
type Door = (side: Side, asked: Asked) => Promise<void>;
interface Asked {
  readonly method: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Further options of the command line. */
  readonly flags?: readonly string[];
  readonly columns?: 'ratings' | 'choices';
}

const scaleOf = ({ columns }: Asked) => (columns === 'choices' ? [] : ['--scale', '0.5:5:0.5']);
const setOf = ({ settings = {} }: Asked) =>
  Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
const budget = ['--epsilon', '3', '--delta', '1e-6'];

const imported: Door = async ({ file, data, catalogue }, asked) => {
  await done('import', file, data, '--catalogue', catalogue, ...scaleOf(asked));
};

const doors: Readonly<Record<string, Door>> = {
  'command line': async (side, asked) => {
    await imported(side, asked);
    const { method, flags = [] } = asked;
    await done(
      ...['train', side.data, '--method', method, ...budget, ...setOf(asked), '--threads', '1'],
      ...['--out', side.model, ...flags],
    );
  },
  'command line, from the file': async (side, asked) => {
    await done(
      ...['train', side.file, '--catalogue', side.catalogue, ...scaleOf(asked), '--method', asked.method],
      ...[...budget, ...setOf(asked), '--threads', '2', '--out', side.model, ...(asked.flags ?? [])],
    );
  },
  'people on disk': async (side, asked) => {
    await doors['command line'](side, { ...asked, flags: [...(asked.flags ?? []), '--memory', '512MiB'] });
  },
  library: async ({ file, data, catalogue, model }, asked) => {
    const scale = asked.columns === 'choices' ? {} : { scale: '0.5:5:0.5' };
    const { directory } = await importRatings(file, { to: data, catalogue, ...scale });
    await train(directory, {
      method: asked.method,
      epsilon: 3,
      delta: 1e-6,
      settings: asked.settings ?? {},
      threads: 1,
      out: model,
    });
  },
  // A run of the server is this command, in a process of its own.
  server: async (side, asked) => {
    await imported(side, asked);
    const request = {
      dataset: 'shop',
      method: asked.method,
      epsilon: 3,
      delta: 1e-6,
      settings: asked.settings ?? {},
      model: 'shop',
    };
    await done(
      ...trainArguments(request, { dataset: side.data, model: side.model, resume: false }, 'an operator'),
    );
  },
  // On the same ratings, by force: her part is in both the first model and the one in its place.
  refresh: async (side, asked) => {
    await doors['command line'](side, asked);
    await done('refresh', side.data, '--model', side.model, '--force', '--threads', '1');
  },
};

const publish = async (door: string, asked: Asked, without: readonly Row[]) => {
  sides = await releases.onBoth([everyone, without], (side) => doors[door](side, asked), asked.columns);
  return sides.map(publishedBy);
};

type Neighbour = keyof typeof neighbours;
/** The accountant takes seconds for many Laplace lines. */
const small = { rank: '2', rounds: '1' };
const ofPeople = ['the first person', 'the last person'] as const;
const cases: readonly (readonly [door: string, Neighbour, Asked])[] = [
  ...Object.keys(doors).map((door) => [door, 'the first person', { method: 'hush' }] as const),
  ['command line', 'the last person', { method: 'hush', columns: 'choices', flags: ['--with-releases'] }],
  ['people on disk', 'the last person', { method: 'hush', columns: 'choices' }],
  ['command line', 'the last person', { method: 'hush', flags: ['--liked', '4'] }],
  ['command line, from the file', 'the last person', { method: 'dpals', settings: { rank: '2' } }],
  ['people on disk', 'the first person', { method: 'dpals', settings: { rank: '2' } }],
  ['command line', 'the first person', { method: 'hush', flags: ['--protocol', 'holdout'] }],
  [
    'command line',
    'a person with many ratings',
    {
      method: 'dpals',
      settings: { rank: '2' },
      flags: ['--protocol', 'strong-generalization', '--split-seed', '2'],
    },
  ],
  [
    'command line',
    'the last person',
    { method: 'hush', columns: 'choices', flags: ['--protocol', 'leave-one-out'] },
  ],
  ['command line', 'one rating', { method: 'private-als', settings: { ...small, unit: 'rating-presence' } }],
  [
    'library',
    'the value of one rating',
    { method: 'private-als', settings: { ...small, unit: 'rating-value' } },
  ],
];

/** All methods and units through the command line: HUSHREC_ALL_METHODS=1. */
const allCases = (): typeof cases =>
  methods
    .filter(({ protects }) => protects.length > 0)
    .flatMap((method) =>
      method.feedback.flatMap((feedback) =>
        unitsOf(method).flatMap(([unit, settings]) =>
          neighboursOf(unit).map((neighbour) => {
            const columns = feedback === 'implicit' ? 'choices' : 'ratings';
            return ['command line', neighbour, { method: method.id, settings, columns }] as const;
          }),
        ),
      ),
    );

function unitsOf({ settings, protects }: Method): readonly (readonly [string, Record<string, string>])[] {
  const choice = settings['unit'];
  return protects.length > 1 && choice?.type === 'choice'
    ? choice.choices.map((unit) => [unit, { unit }])
    : [[protects[0].unit, {}]];
}

const neighboursOf = (unit: string): readonly Neighbour[] =>
  unit === 'user' ? ofPeople : unit === 'rating-presence' ? ['one rating'] : ['the value of one rating'];

// @door train: neighbours
// @door train(): neighbours
// @door serve: neighbours
// @door refresh: neighbours
describe('from a file to a published folder', () => {
  it.each(process.env['HUSHREC_ALL_METHODS'] === '1' ? [...cases, ...allCases()] : cases)(
    '%s, with and without %s: the same to the byte (%o)',
    async (door, neighbour, asked) => {
      const [one, other] = await publish(door, asked, neighbours[neighbour]);
      expect(other).toEqual(one);
      expect(Object.keys(one).length).toBeGreaterThanOrEqual(4);
      expect(releases.shifts?.beyond).toEqual([]);
      expect(releases.shifts?.moved).toBeGreaterThan(0);
      for (const { model } of sides) expect(await verify(model)).toMatchObject({ ok: true });
    },
  );

  it('notices an item that only she rated, where no catalogue was declared', async () => {
    const rows: readonly Row[] = [...everyone, ['person 0', 'a rare item', 5]];
    sides = await releases.onBoth([rows, neighbours['the first person']], async ({ file, model }) => {
      const flags = ['--method', 'item-average', '--threads', '1', '--out', model];
      await done('train', file, '--scale', '0.5:5:0.5', ...flags);
    });
    const [one, other] = sides.map(publishedBy);
    expect(one['model.json']).toContain('a rare item');
    expect(other['model.json']).not.toBe(one['model.json']);
  });
});

describe('what a viewer is answered', () => {
  it.each([
    ['the first person', { method: 'hush' }],
    ['one rating', { method: 'private-als', settings: { ...small, unit: 'rating-presence' } }],
  ] as const)('is the same with and without %s (%o)', async (neighbour, asked) => {
    await publish('command line', asked, neighbours[neighbour]);
    const answers: (readonly [string, number, string])[][] = [];
    for (const side of sides) answers.push(await answersToViewers(side));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0].filter(([, status]) => status === 200).length).toBeGreaterThan(8);
  });
});

/** What a server with this side's folders answers somebody without a token, for all that can be read. */
async function answersToViewers(side: Side): Promise<(readonly [string, number, string])[]> {
  atOneTime(side);
  const server = await startServer({
    models: join(side.folder, 'models'),
    data: join(side.folder, 'data'),
    ledger: join(side.folder, 'state', 'hushrec', 'ledger.sqlite'),
    state: join(side.folder, 'runs.sqlite'),
    port: 0,
    writeLog: () => {},
  });
  try {
    const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as {
      paths: Record<string, { get?: object }>;
    };
    const readable = Object.keys(paths)
      .filter((path) => paths[path].get !== undefined && !path.endsWith('/events') && path !== '/metrics')
      .map((path) => path.replace('{model}', 'shop').replace(/\{\w+\}/, 'none'));
    const files = ['model.json', 'certificate.json', 'CERTIFICATE.md', 'item-factors.safetensors'];
    const all = [...readable, ...files.map((file) => `/models/shop/${file}`)];
    return await Promise.all(
      all.map(async (path) => {
        const response = await fetch(server.url + path);
        const shown = Buffer.from(await response.arrayBuffer()).toString('latin1');
        return [path, response.status, shown] as const;
      }),
    );
  } finally {
    await server.close();
  }
}
