import type { Context } from 'hono';
import { ProblemError } from '../problem.js';
import type { AppEnvironment } from '../server-context.js';

/** Refuses everyone but operators. */
export function requireOperator(context: Context<AppEnvironment>): void {
  if (context.get('role') !== 'operator') throw needsOperator();
}

export function needsOperator(): ProblemError {
  return new ProblemError(
    403,
    'This needs an operator.',
    'Send an operator token: "Authorization: Bearer TOKEN".',
  );
}

/**
 * The caller's address, as the key of limits; never logged. Of IPv6 the network's half: one caller has all of
 * the rest.
 */
export function addressOf(context: Context<AppEnvironment>): string {
  return networkOf(context.env?.incoming?.socket?.remoteAddress ?? 'unknown');
}

/** `2001:db8:1:2::7` → `2001:db8:1:2`; other addresses as they are. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1];
  if (!address.includes(':')) return address;
  const [before = '', after] = address.replace(/%.*$/, '').split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array<string>(Math.max(0, zeros)).fill('0'), ...tail].slice(0, 4).join(':');
}
