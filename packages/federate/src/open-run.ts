import type { Engine } from '@hushrec/numerics';
import type { RatingMatrix } from '@hushrec/ratings';
import { type Card, keyOf, type Trusted } from './card.js';
import { type Catalogue, catalogueHash, decodeFeatures } from './catalogue.js';
import { bytesOf, type Charter, mostExchanges, signedCharter } from './charter.js';
import { type CharterFact, charterFacts, charterWords } from './charter-words.js';
import type { DurableFolder } from './durable-folder.js';
import { CharterError } from './federation-errors.js';
import { fetchClient } from './http/fetch-client.js';
import {
  checkCardsAtHome,
  patient,
  remoteAggregator,
  remoteCharter,
  remoteIssuer,
  remoteLog,
  usualPatience,
} from './http/remote.js';
import type { Fetcher } from './http/wire.js';
import { type TookPart, takePart } from './take-part.js';
import type { SentShare } from './visits.js';

/** One thing that somebody rated. */
export interface RatedItem {
  readonly id: string;
  /** Left out where only choices count. */
  readonly rating?: number;
}

/** A run that a person may take part in: what it says, and how to. */
export interface RunAtHand {
  readonly charter: Charter;
  /** The charter in words: who adds up, who must be honest, ε, megabytes, how often. */
  readonly words: readonly string[];
  /** The same, each with what it is about. */
  readonly facts: readonly CharterFact[];
  /** Ids of the public items, and their titles where the catalogue has them. */
  readonly catalogue: Pick<Catalogue, 'itemIds' | 'titles' | 'scale'>;
  /** The charter's hash: what the run is charged as. */
  readonly hash: string;
  readonly epsilon: number;
  readonly bytesToSend: number;
  readonly exchanges: number;
  /**
   * Takes part with one person's history, until the run is over or the signal says to stop. Items that the
   * catalogue lacks are left out; stopping leaves what was handed in where it is, and the same folder goes on
   * later.
   */
  takePart(request: {
    readonly history: readonly RatedItem[];
    /** What she says about herself, where the charter's method declares features of people. */
    readonly about?: readonly string[];
    readonly engine: Engine;
    readonly folder: DurableFolder;
    /** Those who are believed to add their noise, by card or public key. */
    readonly trusted: readonly Trusted[];
    /** Most ε of all runs together that this folder may be charged with. */
    readonly mostEpsilon: number;
    /** Most δ of this run; 1/(10 × the charter's most people) when absent. */
    readonly mostDelta?: number;
    /** Of the charter's issuer, where the charter asks for tokens: needed once, before the run is charged. */
    readonly invitation?: string;
    readonly signal?: AbortSignal;
    readonly progress?: (done: number, total: number) => void;
    /** Told about every share that left the device. */
    readonly sent?: (share: SentShare) => void;
    /** Told why nothing can be handed in yet. */
    readonly waiting?: (reason: string) => void;
  }): Promise<TookPart>;
}

/**
 * Reads a run from its board, in a page or in Node.
 *
 * @param named the run, where the board keeps several; its first one when absent
 * @throws CharterError when its catalogue is not the one it names
 */
export async function openRun(
  board: string,
  fetcher: Fetcher = fetchClient(),
  named?: string,
): Promise<RunAtHand> {
  const line = patient(fetcher, 'the board', usualPatience);
  const { signed, catalogue: given } = await remoteCharter(board, line, named);
  const charter = await signedCharter(signed);
  const catalogue = given as Catalogue;
  if ((await catalogueHash(catalogue).catch(() => undefined)) !== charter.catalogue.hash)
    throw new CharterError('its catalogue is not the one it names.');
  return {
    charter,
    words: charterWords(charter),
    facts: charterFacts(charter),
    catalogue,
    hash: signed.hash,
    epsilon: charter.plan.epsilon,
    bytesToSend: bytesOf(charter).sent,
    exchanges: mostExchanges(charter),
    takePart: async ({
      history,
      about,
      engine,
      folder,
      trusted,
      mostEpsilon,
      mostDelta,
      invitation,
      ...told
    }) => {
      const { admission } = charter;
      const lineTo = ({ name }: Card) => patient(fetcher, name, usualPatience);
      await checkCardsAtHome(charter, trusted.map(keyOf), lineTo);
      return takePart(
        signed,
        ratingsOfOne(history, about, catalogue),
        { engine, features: decodeFeatures(catalogue.features) },
        { trusted, mostEpsilon, ...(mostDelta !== undefined && { mostDelta }), kept: 'one-person' },
        {
          aggregators: charter.aggregators.map((card, at) =>
            remoteAggregator(signed, at, lineTo(card), told.signal ? { signal: told.signal } : {}),
          ),
          log: remoteLog(board, charter.run, line),
          ...(admission.kind === 'issuer' &&
            invitation !== undefined && {
              issuer: remoteIssuer(charter, admission.issuer, lineTo(admission.issuer), invitation),
            }),
        },
        { folder, ...told },
      );
    },
  };
}

/** One person's history as ratings about the catalogue; a rating off the scale counts as its nearest end. */
function ratingsOfOne(
  history: readonly RatedItem[],
  about: readonly string[] = [],
  { itemIds, scale }: Catalogue,
): RatingMatrix {
  const places = new Map(itemIds.map((id, place) => [id, place]));
  const rated = new Map<number, number>();
  for (const { id, rating = scale.max } of history) {
    const place = places.get(id);
    if (place !== undefined && Number.isFinite(rating))
      rated.set(place, Math.min(scale.max, Math.max(scale.min, rating)));
  }
  const entries = [...rated].sort(([a], [b]) => a - b);
  return {
    userCount: 1,
    itemCount: itemIds.length,
    scale,
    byUser: {
      rowCount: 1,
      columnCount: itemIds.length,
      offsets: Uint32Array.of(0, entries.length),
      indices: Uint32Array.from(entries, ([place]) => place),
      values: Float32Array.from(entries, ([, rating]) => rating),
    },
    ...(about.length > 0 && {
      about: {
        names: about,
        byUser: {
          rowCount: 1,
          columnCount: about.length,
          offsets: Uint32Array.of(0, about.length),
          indices: Uint32Array.from(about, (_, at) => at),
          values: new Float32Array(about.length).fill(1),
        },
      },
    }),
  };
}
