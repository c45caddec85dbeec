import type { IncomingMessage } from 'node:http';

const mostBytes = 1 << 20;
const mostMs = 500;

/**
 * Reads and forgets the body of a request that is going to be refused, so that the caller gets to see the
 * refusal: closing a connection with unread bytes resets it, and what was already answered is lost. Gives up
 * after a mebibyte or half a second.
 */
export function discardBody(incoming: IncomingMessage | undefined): Promise<void> {
  if (incoming === undefined || incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let seen = 0;
    const finish = () => {
      clearTimeout(timer);
      incoming.off('data', count).off('end', finish).off('close', finish);
      resolve();
    };
    const count = (chunk: Buffer) => {
      seen += chunk.length;
      if (seen > mostBytes) finish();
    };
    const timer = setTimeout(finish, mostMs);
    incoming.on('data', count).on('end', finish).on('close', finish);
  });
}
