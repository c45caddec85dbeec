import { generateSigningKey } from '@hushrec/model';
import type { NoiseSource } from './aggregator-noise.js';
import { Board } from './board.js';
import { signCard } from './card.js';
import { type Catalogue, catalogueHash } from './catalogue.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { boardRoutes } from './http/board-routes.js';
import { type RunningServer, serve } from './node/tls-server.js';
import type { PublicKnowledge } from './participant.js';
import { scheduleOf } from './schedule.js';
import { openAggregators, sealingOf, smallCharter } from './small-charter.test.data.js';

/** Noise of each aggregator, in place of the planned one. */
export type Noises = (aggregator: number) => NoiseSource;

/** Two aggregators and a board of an open run, each at an address of this machine that pages may ask. */
export async function openOffices(
  names: readonly [string, string],
  catalogue: Catalogue,
  knowledge: PublicKnowledge,
  change: Partial<CharterRequest>,
  noise?: Noises,
) {
  const keys = await Promise.all([0, 1, 2].map(() => generateSigningKey()));
  const handlers: Parameters<typeof serve>[0][] = [];
  const servers: RunningServer[] = [];
  for (let at = 0; at < 3; at++)
    servers.push(
      await serve((request) => handlers[at](request), { port: 0, mostBytes: 2 ** 20, anyOrigin: true }),
    );
  const office = (name: string, at: number) =>
    signCard({ name, url: `http://127.0.0.1:${servers[at].port}` }, keys[at]);
  const { itemIds, scale } = catalogue;
  const signed = await smallCharter(keys, knowledge, {
    catalogue: { itemCount: itemIds.length, scale, hash: await catalogueHash(catalogue) },
    coordinator: await office('board', 2),
    aggregators: await Promise.all(names.map(office)),
    leastReports: 1,
    ...change,
  });
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const aggregators = await openAggregators(charter, keys, (index) => ({
    schedule: scheduleOf(charter, board, knowledge),
    ...(noise && { noise: noise(index) }),
  }));
  for (const [index, aggregator] of aggregators.entries())
    handlers.push(aggregatorRoutes(charter, aggregator, { index, sealing: await sealingOf(keys[index]) }));
  handlers.push(boardRoutes(signed, catalogue, board));
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  return { signed, board, aggregators, close };
}

export type OpenOffices = Awaited<ReturnType<typeof openOffices>>;
