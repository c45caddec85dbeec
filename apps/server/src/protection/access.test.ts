import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freshOperatorToken, nameOf, readTokenFile, roleOf, TokenFileError } from './access.js';

const folder = mkdtempSync(join(tmpdir(), 'hushrec-tokens-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (text: string) => {
  const file = join(folder, `tokens-${Math.abs(text.length * 31 + text.charCodeAt(0))}`);
  writeFileSync(file, text);
  return file;
};

describe('readTokenFile', () => {
  it('gives each token its role; viewers need one as soon as there is one for them', () => {
    const access = readTokenFile(write('# ours\nviewer vvvvvvvvvvvvvvvv\n\noperator oooooooooooooooo\n'));
    expect(roleOf(access, 'Bearer vvvvvvvvvvvvvvvv')).toBe('viewer');
    expect(roleOf(access, 'bearer oooooooooooooooo')).toBe('operator');
    expect(roleOf(access, undefined)).toBeUndefined();
  });

  it('knows who has a token where the file says so', () => {
    const access = readTokenFile(write('operator oooooooooooooooo  Noor K.\noperator pppppppppppppppp\n'));
    expect(nameOf(access, 'Bearer oooooooooooooooo')).toBe('Noor K.');
    expect(nameOf(access, 'Bearer pppppppppppppppp')).toBeUndefined();
    expect(nameOf(access, 'Bearer qqqqqqqqqqqqqqqq')).toBeUndefined();
    expect(nameOf(access, undefined)).toBeUndefined();
    expect(roleOf(access, 'Bearer oooooooooooooooo')).toBe('operator');
  });

  it('leaves reading open when there are only operators', () => {
    expect(roleOf(readTokenFile(write('operator oooooooooooooooo')), undefined)).toBe('viewer');
  });

  it.each([
    ['admin aaaaaaaaaaaaaaaaaaaa', 'line 1'],
    ['operator short', 'shorter than 16'],
    ['operator oooooooooooooooo --note=x', 'line 1'],
    ['', 'holds no token'],
  ])('refuses %j', (text, reason) => {
    expect(() => readTokenFile(write(text))).toThrow(reason);
    expect(() => readTokenFile(write(text))).toThrow(TokenFileError);
  });

  it('never repeats a token in its message', () => {
    expect(() => readTokenFile(write('operator sec\x00ret-secret-secret'))).not.toThrow(/secret/);
  });
});

describe('roleOf', () => {
  const { access, token } = freshOperatorToken();
  it.each([
    `Bearer ${token}x`,
    `Bearer ${token.slice(1)}`,
    `Basic ${token}`,
    'Bearer ',
    'Bearer',
    '',
    `Bearer ${token} ${token}`,
    `Bearer ${'a'.repeat(600)}`,
  ])('refuses %j', (header) => {
    expect(roleOf(access, header)).toBe('refused');
  });
  it('makes a new token each time', () => {
    expect(roleOf(access, `Bearer ${token}`)).toBe('operator');
    expect(roleOf(access, `Bearer ${freshOperatorToken().token}`)).toBe('refused');
  });
});
