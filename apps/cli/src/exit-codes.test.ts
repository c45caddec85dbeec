import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SettingsError } from '@hushrec/factorize';
import { LedgerLockedError, SpendRefusedError } from '@hushrec/ledger';
import { CorruptModelError } from '@hushrec/model';
import { BadDataError, ImportOptionError } from '@hushrec/ratings';
import { describe, expect, it } from 'vitest';
import { CommandError, exitCodeOf, exitCodes } from './exit-codes.js';

function sourceFiles(): string[] {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const packages = ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name, 'src')),
  );
  const papers = readdirSync(join(root, 'papers')).map((name) => join(root, 'papers', name, 'methods'));
  return [...packages, ...papers]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.'));
}

function systemError(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

describe('exit codes', () => {
  it.each([
    [new SettingsError('rank', 'x'), 2],
    [new ImportOptionError('scale', 'x'), 2],
    [new BadDataError({ file: 'x' }, 'it is empty', 'x'), 3],
    [new CorruptModelError('model.json', 'x'), 3],
    [new SpendRefusedError('x', 'x'), 4],
    [new LedgerLockedError('x', 1), 4],
    [new DOMException('x', 'AbortError'), 130],
    [new TypeError('x'), 1],
    [systemError(() => readFileSync('/nonexistent/file')), 3],
    [systemError(() => readFileSync(`${fileURLToPath(import.meta.url)}/inside`)), 3],
    [
      Object.assign(new Error('ENOSPC: no space left on device, write'), {
        code: 'ENOSPC',
        syscall: 'write',
      }),
      1,
    ],
    [Object.assign(new Error('x'), { kind: 'constructor' }), 1],
  ])('%s', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it('every error class of the packages says whose turn it is, or is known to be a failure of the program', () => {
    const failures = new Set<string>();
    for (const file of sourceFiles()) {
      const text = readFileSync(file, 'utf8');
      for (const [, name, body] of text.matchAll(/class (\w+) extends \w*Error \{(.*?)^\}/gms))
        if (!/^ {2}readonly kind(?: = '(?:usage|data|privacy)';|: )/m.test(body)) failures.add(name);
    }
    expect([...failures].sort()).toEqual([
      'ArrowError',
      'CertificateRefusedError',
      'ClaimError',
      'CommandError',
      'DivergedError',
      'EigenError',
      'GrpcError',
      'InexactSumError',
      'JobShapeError',
      'KernelMemoryError',
      'LastStageReached',
      'LedgerUnavailableError',
      'ModelFetchError',
      'NotPositiveDefiniteError',
      'NotUtf8',
      'PostgresUnavailableError',
      'PowerLoss',
      'ProblemError',
      'QuestionFormatError',
      'RunOverError',
      'ServerError',
      'SparkError',
      'StateLostError',
      'StateUnavailableError',
      'SumError',
      'TranscriptMismatchError',
      'UnreachableError',
      'WorkerPoolError',
      'ZstdError',
    ]);
  });

  it('an error may bring its own, and anything else failed', () => {
    expect(exitCodeOf(new CommandError(exitCodes.badData, 'x'))).toBe(3);
    expect([exitCodeOf('text'), exitCodeOf(undefined)]).toEqual([1, 1]);
  });

  it('no code has two meanings', () => {
    const codes = Object.values(exitCodes);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it('is not 0 where the process ends before its command does', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hushrec-ends-early-'));
    try {
      for (const each of ['bin', 'dist']) mkdirSync(join(folder, each));
      const bin = fileURLToPath(new URL('../bin/hushrec.js', import.meta.url));
      cpSync(bin, join(folder, 'bin/hushrec.js'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const outcome = (main: string) => {
        writeFileSync(join(folder, 'dist/main.js'), `export const main = async () => { ${main} };`);
        const { status, stderr } = spawnSync(process.execPath, [join(folder, 'bin/hushrec.js')], {
          encoding: 'utf8',
        });
        return [status, stderr.includes('ended before its work was done')];
      };
      expect(outcome('process.exitCode = 0; await new Promise(() => {});')).toEqual([exitCodes.failed, true]);
      expect(outcome('return 0;')).toEqual([exitCodes.done, false]);
      expect(outcome('return 4;')).toEqual([exitCodes.privacyRefused, false]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
