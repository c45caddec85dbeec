import { afterAll, describe, expect, it } from 'vitest';
import { PrivateCopy } from './catalogue/private-copy.js';
import { fileResponse, parseRange, type ServedFile } from './file-response.js';

const content = '0123456789';
const copy = await PrivateCopy.of(new TextEncoder().encode(content));
afterAll(() => copy.dispose());
const file: ServedFile = {
  content: copy,
  size: content.length,
  tag: 'abc',
  contentType: 'text/plain',
  cacheControl: 'no-cache',
};
const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fileResponse(new Request('http://host/ten', { method, headers }), file);

describe('parseRange', () => {
  it.each([
    [undefined, 'whole'],
    ['bytes=0-3', { start: 0, end: 3 }],
    ['bytes=4-', { start: 4, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=8-100', { start: 8, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=5-2', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['lines=1-2', 'whole'],
    ['bytes=1e3-2', 'whole'],
  ])('%s of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });
});

describe('fileResponse', () => {
  it('sends the whole file with its tag', async () => {
    const response = get();
    expect(response.status).toBe(200);
    expect(response.headers.get('etag')).toBe('"abc"');
    expect(await response.text()).toBe(content);
  });

  it('sends a part on request', async () => {
    const response = get({ range: 'bytes=2-5' });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe('bytes 2-5/10');
    expect(await response.text()).toBe('2345');
  });

  it('sends the whole file when the part was of another version', async () => {
    expect(get({ range: 'bytes=2-5', 'if-range': '"old"' }).status).toBe(200);
    expect(get({ range: 'bytes=2-5', 'if-range': '"abc"' }).status).toBe(206);
  });

  it('sends bytes from memory in the same way', async () => {
    const inMemory = { ...file, content: new TextEncoder().encode(content) };
    const response = fileResponse(
      new Request('http://host/ten', { headers: { range: 'bytes=2-5' } }),
      inMemory,
    );
    expect(await response.text()).toBe('2345');
  });

  it('says that nothing changed', () => {
    for (const tag of ['"abc"', 'W/"abc"', '"x", "abc"', '*'])
      expect(get({ 'if-none-match': tag }).status).toBe(304);
    expect(get({ 'if-none-match': '"other"' }).status).toBe(200);
  });

  it('refuses a part that does not exist and says how long the file is', () => {
    const response = get({ range: 'bytes=10-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */10');
  });

  it('answers HEAD without a body', async () => {
    const response = get({}, 'HEAD');
    expect(response.headers.get('content-length')).toBe('10');
    expect(await response.text()).toBe('');
  });
});
