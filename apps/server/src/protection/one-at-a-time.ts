import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers the requests of a connection one after the other. Node begins with all that a client sends ahead
 * (pipelining), hundreds from one packet, and each answer waits with its first pieces in memory for a reader
 * who may never read: here only the first does. Whoever sends more than `mostWaiting` ahead is cut off; no
 * browser sends any.
 */
export function oneAtATime(listener: RequestListener, mostWaiting: number): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  const begin = (request: IncomingMessage, response: ServerResponse, queue: (() => void)[]) => {
    response.once('close', () => {
      const next = queue.shift();
      if (next === undefined) waiting.delete(request.socket);
      else if (!request.socket.destroyed) next();
    });
    listener(request, response);
  };
  return (request, response) => {
    const queue = waiting.get(request.socket);
    if (queue === undefined) {
      const fresh: (() => void)[] = [];
      waiting.set(request.socket, fresh);
      begin(request, response, fresh);
    } else if (queue.length < mostWaiting) queue.push(() => begin(request, response, queue));
    else request.socket.destroy();
  };
}
