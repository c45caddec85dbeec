// What a coordinator of dpimf sends to a party, as bytes, and the party's ratings.
import { connectOver } from '@hushrec/federate';

export const ratings = {
  userCount: 2,
  itemCount: 4,
  scale: { min: 1, max: 5, step: 1 },
  byUser: {
    rowCount: 2,
    columnCount: 4,
    offsets: Uint32Array.of(0, 2, 3),
    indices: Uint32Array.of(0, 2, 3),
    values: Float32Array.of(1, 1, 1),
  },
};

const asked = [
  {
    kind: 'invitation',
    session: 's',
    shared: 'item',
    rows: 4,
    rounds: 1,
    localRounds: 1,
    epsilon: 2,
    settings: { rank: 2 },
    contribution: 'sums',
  },
  { kind: 'round', session: 's', round: 0, profiles: new Float64Array(8).fill(0.1) },
  { kind: 'finish', session: 's', profiles: new Float64Array(8).fill(0.1) },
];

export async function ownNoiseMessages() {
  const messages = [];
  const line = connectOver('p', 'http://party.example', async (_, { body }) => {
    messages.push(Buffer.from(body));
    return { status: 500, body: new Uint8Array() };
  });
  for (const message of asked) await line.request(message).catch(() => undefined);
  return messages;
}
