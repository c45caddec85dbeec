import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/**
 * A TLS key and a certificate for it that vouches for itself: believed by those who were given it, and by
 * nobody else.
 */
export interface SelfSigned {
  /** PKCS #8, PEM. Secret. */
  readonly key: string;
  /** X.509 v3, PEM. */
  readonly cert: string;
}

/**
 * Makes a P-256 key and a self-signed certificate (RFC 5280) for a host name or address, usable for both
 * sides of TLS. Charters carry the certificates, so no authority is needed among parties who know each other.
 */
export function selfSignedCertificate(host: string, days = 825, now = new Date()): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const from = new Date(now.getTime() - 3_600_000);
  const until = new Date(now.getTime() + days * 86_400_000);
  const serial = randomBytes(16);
  serial[0] &= 0x7f;
  serial[0] |= 0x40;
  // TLS libraries look issuers up by name: two certificates for one host must not have the same.
  const subject = `hushrec ${serial.toString('hex')}`;
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8String(subject))));
  const algorithm = sequence(oid('1.2.840.10045.4.3.2'));
  const alternative = isIP(host)
    ? tagged(0x87, addressBytes(host))
    : tagged(0x82, Buffer.from(host, 'ascii'));
  const extensions = sequence(
    extension('2.5.29.19', true, sequence(boolean(true))),
    extension('2.5.29.15', true, tagged(0x03, Buffer.from([1, 0b1000_0110]))),
    extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'), oid('1.3.6.1.5.5.7.3.2'))),
    extension('2.5.29.17', false, sequence(alternative)),
  );
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = sign('sha256', content, privateKey);
  const certificate = sequence(
    content,
    algorithm,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  return { key: pem('PRIVATE KEY', exportKey(privateKey)), cert: pem('CERTIFICATE', certificate) };
}

const exportKey = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'der' });

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Tag, length, content: DER (X.690). */
function tagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const head =
    length < 128
      ? [tag, length]
      : length < 256
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: Uint8Array[]) => tagged(0x30, Buffer.concat(parts));
const set = (...parts: Uint8Array[]) => tagged(0x31, Buffer.concat(parts));
const integer = (bytes: Uint8Array) => tagged(0x02, bytes);
const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 255 : 0]));
const utf8String = (text: string) => tagged(0x0c, Buffer.from(text, 'utf8'));

function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number) as [number, number, ...number[]];
  const bytes = [40 * first + second];
  for (const part of rest) {
    const digits = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function extension(id: string, critical: boolean, content: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), tagged(0x04, content));
}

/** GeneralizedTime from 2050 on, UTCTime before (RFC 5280 §4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2), 'ascii'))
    : tagged(0x18, Buffer.from(digits, 'ascii'));
}

function addressBytes(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from(host.split('.').map(Number));
  const [left, right] = host.split('::') as [string, string?];
  const words = (text: string | undefined) =>
    text ? text.split(':').map((word) => Number.parseInt(word, 16)) : [];
  const head = words(left);
  const tail = words(right);
  const all =
    right === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill(0), ...tail];
  return Buffer.from(all.flatMap((word: number) => [word >> 8, word & 255]));
}
