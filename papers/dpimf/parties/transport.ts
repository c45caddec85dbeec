import type { CoordinatorMessage, PartyMessage } from './messages.js';

/** The coordinator's line to one party: one request, one answer. A network client implements this. */
export interface PartyConnection {
  readonly party: string;
  request(message: CoordinatorMessage): Promise<PartyMessage>;
}

/** What answers requests on the party's side of the line. A network server wraps this. */
export interface MessageHandler {
  readonly party: string;
  handle(message: CoordinatorMessage): Promise<PartyMessage>;
}

/**
 * A line within one process. Messages are cloned in both directions, as on a network: no reference to a
 * party's memory ever reaches the coordinator.
 */
export function connectInProcess(handler: MessageHandler): PartyConnection {
  return {
    party: handler.party,
    request: async (message) => structuredClone(await handler.handle(structuredClone(message))),
  };
}
