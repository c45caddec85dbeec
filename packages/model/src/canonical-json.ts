/** Anything JSON can hold. Numbers are finite; a missing guarantee is `null`, never `Infinity`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A value, or bytes, that have no canonical JSON form. */
export class CanonicalJsonError extends Error {
  override readonly name = 'CanonicalJsonError';
  readonly kind = 'data';
  readonly path: string;
  constructor(path: string, message: string) {
    super(`${path === '' ? 'The document' : path}: ${message}`);
    this.path = path;
  }
}

/**
 * The JSON Canonicalization Scheme (RFC 8785): keys sorted by UTF-16 code units, numbers as ECMAScript prints
 * them, no spaces. Hashes and signatures are taken over these bytes, so any language can recompute them.
 * Fields that are `undefined` are left out, as if absent.
 */
export function canonicalJson(value: unknown): string {
  return written(value, '', '', '');
}

/**
 * The form of the files people open: canonical order, two-space indentation, final newline. It is a function
 * of the value alone, so a file whose bytes differ from the form of its own content has been touched.
 */
export function readableJson(value: unknown): string {
  return `${written(value, '', '\n', '  ')}\n`;
}

/** Parses bytes that must be exactly the readable form of what they say; refuses anything else. */
export function parseReadableJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    throw new CanonicalJsonError('', `is not JSON in UTF-8 (${(error as Error).message}).`);
  }
  if (readableJson(value) !== text) {
    throw new CanonicalJsonError('', 'is not in canonical form: it was changed.');
  }
  return value;
}

/** `newline` is '' for the compact form, otherwise a line break with the indentation reached so far. */
function written(value: unknown, path: string, newline: string, indent: string): string {
  switch (typeof value) {
    case 'string':
      if (/\p{Surrogate}/u.test(value)) throw new CanonicalJsonError(path, 'holds half a surrogate pair.');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) throw new CanonicalJsonError(path, `is ${value}, which JSON cannot hold.`);
      return JSON.stringify(value);
    case 'object': {
      if (value === null) return 'null';
      const inner = newline + indent;
      if (Array.isArray(value)) {
        if (value.length === 0) return '[]';
        const parts = value.map((each, at) => inner + written(each, `${path}[${at}]`, inner, indent));
        return `[${parts.join(',')}${newline}]`;
      }
      const colon = newline === '' ? ':' : ': ';
      // Sorted here and not by building an object: those list keys that look like integers first.
      const parts = Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(
          ([key, each]) =>
            inner + written(key, path, '', '') + colon + written(each, `${path}.${key}`, inner, indent),
        );
      return parts.length === 0 ? '{}' : `{${parts.join(',')}${newline}}`;
    }
    default:
      throw new CanonicalJsonError(path, `is a ${typeof value}, which JSON cannot hold.`);
  }
}
