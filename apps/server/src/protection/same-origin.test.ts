import { describe, expect, it } from 'vitest';
import { hostName, hostsOf, isLoopback, isOwnRequest } from './same-origin.js';

const ask = (host?: string, origin?: string, fetchSite?: string) =>
  isOwnRequest({ host, origin, fetchSite }, hostsOf('127.0.0.1'));

describe('isOwnRequest on loopback', () => {
  it.each([
    ['a program', ask('127.0.0.1:7717')],
    ['our page', ask('localhost:7717', 'http://localhost:7717', 'same-origin')],
    ['an address typed by hand', ask('[::1]:7717', undefined, 'none')],
  ])('allows %s', (_, allowed) => expect(allowed).toBe(true));

  it.each([
    ['another site', ask('127.0.0.1:7717', 'https://evil.example', 'cross-site')],
    ['another site without Sec-Fetch-Site', ask('127.0.0.1:7717', 'https://evil.example')],
    ['another port of this machine', ask('127.0.0.1:7717', 'http://127.0.0.1:8080', 'same-site')],
    ['a name pointed at this address', ask('evil.example:7717')],
    ['a name that only begins like ours', ask('127.0.0.1.evil.example:7717')],
    ['a sandboxed frame', ask('127.0.0.1:7717', 'null')],
    ['no Host', ask(undefined)],
  ])('refuses %s', (_, allowed) => expect(allowed).toBe(false));
});

describe('hostName', () => {
  it('is the name alone, however it was written', () => {
    expect(['Shop.Example', 'shop.example:8443', ' shop.example. '].map(hostName)).toEqual(
      Array(3).fill('shop.example'),
    );
    expect(hostName('[::1]:7717')).toBe('[::1]');
  });
});

describe('isLoopback', () => {
  it('knows what stays on this machine', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost'].every(isLoopback)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org'].some(isLoopback)).toBe(false);
  });
});
