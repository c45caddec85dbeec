import { generateSigningKey } from '@hushrec/model/signing';
import type { NoiseSource } from './aggregator-noise.js';
import { Board } from './board.js';
import { signCard } from './card.js';
import { type Catalogue, catalogueHash } from './catalogue.js';
import type { SignedCharter } from './charter.js';
import type { CharterRequest } from './draft-charter.js';
import { MemoryFolder } from './durable-folder.js';
import { aggregatorRoutes } from './http/aggregator-routes.js';
import { boardRoutes } from './http/board-routes.js';
import { type RunningServer, serve } from './node/tls-server.js';
import { type TokenOffice, tokenRoutes } from './node/token-office.js';
import type { PublicKnowledge } from './participant.js';
import { scheduleOf } from './schedule.js';
import { openAggregators, sealingOf, smallCharter } from './small-charter.test.data.js';
import { charterWithTokens } from './tokens.test.data.js';

/** Noise of each aggregator, in place of the planned one. */
export type Noises = (aggregator: number) => NoiseSource;

/**
 * Two aggregators and a board of an open run, each at an address of this machine that pages may ask; and an
 * issuer, where tokens are asked for.
 */
export async function openOffices(
  names: readonly [string, string],
  catalogue: Catalogue,
  knowledge: PublicKnowledge,
  change: Partial<CharterRequest>,
  {
    noise,
    withTokens = false,
    clock,
  }: { readonly noise?: Noises; readonly withTokens?: boolean; readonly clock?: () => number } = {},
) {
  const keys = await Promise.all([0, 1, 2, 3].map(() => generateSigningKey()));
  const handlers: Parameters<typeof serve>[0][] = [];
  const servers: RunningServer[] = [];
  for (let at = 0; at < 4; at++)
    servers.push(
      await serve((request) => handlers[at](request), { port: 0, mostBytes: 2 ** 20, anyOrigin: true }),
    );
  const office = (name: string, at: number) =>
    signCard({ name, url: `http://127.0.0.1:${servers[at].port}` }, keys[at]);
  const { itemIds, scale } = catalogue;
  const request: Partial<CharterRequest> = {
    catalogue: { itemCount: itemIds.length, scale, hash: await catalogueHash(catalogue) },
    coordinator: await office('board', 2),
    aggregators: await Promise.all(names.map(office)),
    leastReports: 1,
    ...change,
  };
  const { signed, office: desk }: { signed: SignedCharter; office?: TokenOffice } = withTokens
    ? await charterWithTokens(keys, knowledge, request, `http://127.0.0.1:${servers[3].port}`)
    : { signed: await smallCharter(keys, knowledge, request) };
  const { charter } = signed;
  const board = await Board.open(new MemoryFolder());
  const aggregators = await openAggregators(charter, keys, (index) => ({
    schedule: scheduleOf(charter, board, knowledge),
    ...(noise && { noise: noise(index) }),
    ...(clock && { clock }),
    ...(signed.tokens && { tokenKeys: signed.tokens.tokenKeys }),
  }));
  for (const [index, aggregator] of aggregators.entries())
    handlers.push(aggregatorRoutes(charter, aggregator, { index, sealing: await sealingOf(keys[index]) }));
  handlers.push(boardRoutes(signed, catalogue, board));
  if (desk !== undefined) handlers.push(tokenRoutes(charter, desk));
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  return { signed, board, aggregators, desk, close };
}

export type OpenOffices = Awaited<ReturnType<typeof openOffices>>;
