import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../bin/hushrec.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'hushrec-federate-'));
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function hushrec(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

beforeAll(() => {
  const made = hushrec('generate', data, '--users', '60', '--items', '40', '--ratings', '900', '--seed', '1');
  if (made.status !== 0) throw new Error(made.stderr);
});

describe('hushrec federate', () => {
  it.each(['items', 'users'])(
    'simulate, shared %s: a model folder that verifies, labelled a simulation',
    (shared) => {
      const out = join(folder, shared);
      const run = hushrec(
        'federate',
        'simulate',
        data,
        '--parties',
        '3',
        '--shared',
        shared,
        '--epsilon',
        '2',
        '--out',
        out,
        '--json',
      );
      expect(run.status, run.stderr).toBe(0);
      expect(JSON.parse(run.stdout)).toMatchObject({
        model: out,
        method: 'dpimf',
        parties: 3,
        shared,
        unit: 'rating-presence',
        relation: 'add-remove',
        epsilon: 2,
        simulation: true,
      });
      expect(JSON.parse(hushrec('verify', out, '--json').stdout)).toMatchObject({ ok: true });
      const model = JSON.parse(readFileSync(join(out, 'model.json'), 'utf8'));
      expect(model.notes.federated).toEqual({ parties: 3, shared });
      expect(JSON.stringify(model).includes('userIds')).toBe(shared === 'users');
    },
  );

  it.each(['coordinator', 'party'])('%s fails and says that there is no network transport', (role) => {
    const { status, stderr } = hushrec('federate', role);
    expect(status).toBe(1);
    expect(stderr).toContain('no network transport yet');
  });

  it('refuses the printed protocol, settings with options of their own, and more parties than people', () => {
    const simulate = (...args: string[]) =>
      hushrec('federate', 'simulate', data, '--epsilon', '2', '--out', join(folder, 'none'), ...args);
    expect(simulate('--set', 'repaired=false').status).toBe(4);
    expect(simulate('--set', 'rounds=3').status).toBe(2);
    expect(simulate('--parties', '61').status).toBe(2);
  });
});
