import type { PrivateCopy } from './catalogue/private-copy.js';

/** A file to send: its bytes never change under one tag. */
export interface ServedFile {
  /** The bytes themselves, or a copy that only this server can open. */
  readonly content: PrivateCopy | Uint8Array<ArrayBuffer>;
  readonly size: number;
  /** Strong entity tag without quotes: a hash of the content. */
  readonly tag: string;
  readonly contentType: string;
  readonly cacheControl: string;
}

export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

/**
 * One range of RFC 9110: `bytes=0-99`, `bytes=100-`, `bytes=-50`. Several ranges and other units give the
 * whole file ('whole'), which the standard allows; a range outside the file is 'unsatisfiable'.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return 'whole';
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}

/** Answers a GET or HEAD for a file: 200, 206, 304 or 416, streaming in constant memory. */
export function fileResponse(request: Request, file: ServedFile): Response {
  const tag = `"${file.tag}"`;
  const headers = new Headers({
    etag: tag,
    'cache-control': file.cacheControl,
    'content-type': file.contentType,
    'accept-ranges': 'bytes',
  });
  if (matchesTag(request.headers.get('if-none-match'), tag))
    return new Response(null, { status: 304, headers });

  const ifRange = request.headers.get('if-range');
  const range =
    ifRange !== null && ifRange !== tag
      ? 'whole'
      : parseRange(request.headers.get('range') ?? undefined, file.size);
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${file.size}`);
    headers.delete('content-type');
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range === 'whole' ? { start: 0, end: file.size - 1 } : range;
  headers.set('content-length', String(end - start + 1));
  if (range !== 'whole') headers.set('content-range', `bytes ${start}-${end}/${file.size}`);
  const isEmpty = request.method === 'HEAD' || file.size === 0;
  const body = isEmpty ? null : bytesOf(file.content, start, end);
  return new Response(body, { status: range === 'whole' ? 200 : 206, headers });
}

function bytesOf(content: ServedFile['content'], start: number, end: number): BodyInit {
  return content instanceof Uint8Array
    ? content.subarray(start, end + 1)
    : (content.stream(start, end) as ReadableStream<Uint8Array<ArrayBuffer>>);
}

function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag || each.trim() === '*');
}
