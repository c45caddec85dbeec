// The Python file gives what the client gives. Needs a Python with numpy and safetensors: HUSHREC_PYTHON, or
// `python3`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from './run-command.test.data.js';

const python = process.env['HUSHREC_PYTHON'] ?? 'python3';
const isThere = spawnSync(python, ['-c', 'import numpy, safetensors']).status === 0;
const example = fileURLToPath(new URL('../../../examples/python/hushrec_model.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-python-'));
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fromPython(model: string, history: string) {
  return spawnSync(python, [example, at(model), '--history', at(history), '--json'], { encoding: 'utf8' });
}

describe.skipIf(!isThere)(
  `a model from Python${isThere ? '' : ` (skipped: ${python} has no numpy and safetensors; set HUSHREC_PYTHON)`}`,
  () => {
    beforeAll(async () => {
      await runCommand('generate', at('data'), '--people', '300', '--items', '60', '--ratings', '6000');
      writeFileSync(at('ratings.csv'), 'item,rating\n1,5\n7,1\n12,4.5\nunknown,3\n40,0.5\n');
      writeFileSync(at('likes.csv'), 'item\n1\n7\n12\n');
      writeFileSync(at('nothing.csv'), 'item,rating\n');
    });

    it.each([
      ['als', 'ratings.csv', []],
      ['hush', 'ratings.csv', ['--epsilon', '20', '--people', '300']],
      ['hush', 'nothing.csv', ['--epsilon', '20', '--people', '300']],
      ['ials', 'likes.csv', ['--liked', '4']],
      ['hush', 'likes.csv', ['--epsilon', '20', '--people', '300', '--liked', '4']],
      ['knn', 'ratings.csv', []],
      ['ease', 'likes.csv', ['--liked', '4']],
      ['global-effects', 'ratings.csv', []],
      ['popularity', 'likes.csv', ['--liked', '4']],
      [
        'am-ssp',
        'ratings.csv',
        ['--epsilon', '20', '--people', '300', '--set', 'loss=logistic', '--set', 'rank=3'],
      ],
      [
        'am-ssp',
        'ratings.csv',
        ['--epsilon', '20', '--people', '300', '--set', 'loss=poisson', '--set', 'rank=3'],
      ],
    ])('%s ranks %s as the client does (%j)', async (method, history, options) => {
      const model = at('model');
      const train = ['--method', method, ...options, '--out', model, '--overwrite'];
      const trained = await runCommand('train', at('data'), ...train);
      expect(trained.code, trained.errors).toBe(0);
      const { json } = await runCommand('recommend', model, '--history', at(history), '--json');
      const run = fromPython('model', history);
      expect(run.status, run.stderr).toBe(0);
      const answer = JSON.parse(run.stdout) as { basis: string; items: { id: string; score: number }[] };
      expect(answer.basis).toBe(json.basis);
      expect(answer.items.map(({ id }) => id)).toEqual(json.items.map(({ id }: { id: string }) => id));
      for (const [place, { score }] of answer.items.entries())
        expect(score).toBeCloseTo(json.items[place].score, 9);
    });

    it.each(['model.json', 'certificate.json'])('a changed %s is refused', async (name) => {
      await runCommand(
        'train',
        at('data'),
        '--method',
        'item-average',
        '--out',
        at('changed'),
        '--overwrite',
      );
      const file = join(at('changed'), name);
      writeFileSync(file, readFileSync(file, 'utf8').replace('item-average', 'item-Average'));
      const run = fromPython('changed', 'ratings.csv');
      expect(run.status).not.toBe(0);
      expect(run.stderr).toContain('UntrustedModel');
    });
  },
);
