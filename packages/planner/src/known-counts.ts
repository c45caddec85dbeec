import type { CertificateStatement, ItemModel } from '@hushrec/model';
import {
  type KnownPeople,
  knownPeople,
  knownWithin,
  oneInTwenty,
  releasedCounts,
  type SpreadOfCounts,
  spreadOfCounts,
  step,
} from '@hushrec/model/usefulness';

/**
 * How often items were rated, as an earlier model of these people released it, with its noise taken out as
 * far as that goes: public, so a forecast may use it.
 */
export interface KnownCounts {
  /** Weighted counts, from the largest on: the root mean squares of equal parts of the catalogue. */
  readonly parts: readonly number[];
  /** The people they were counted of; null where that is not known. */
  readonly people: KnownPeople | null;
  /**
   * About the standard deviation of the logarithm of the largest tenth, over all noise there might have been.
   */
  readonly error: number;
}

const parts = 400;
/** Places within a part that are looked at. */
const places = 8;

/**
 * The counts that a published model says; undefined where it released none with Gaussian noise, or none that
 * can be told from it.
 */
export function countsOfModel(
  model: ItemModel,
  certificate: Pick<CertificateStatement, 'releases' | 'people' | 'chain'>,
): KnownCounts | undefined {
  const counts = releasedCounts(model, certificate.releases, certificate.chain?.countNoise);
  if (counts === undefined) return undefined;
  const spread = spreadOfCounts(counts.values, counts.noise);
  if (spread.headError > knownWithin) return undefined;
  return {
    parts: inParts(spread).map((size) => Number((size * counts.noise).toPrecision(4))),
    people: knownPeople(certificate) ?? null,
    error: Number(spread.headError.toPrecision(2)),
  };
}

/**
 * The same with noise that was as much in favour of the counts, or against them, as it is one time in twenty.
 */
export function countsWithin(counts: KnownCounts): readonly [KnownCounts, KnownCounts] {
  const times = Math.exp(oneInTwenty * counts.error);
  const scaled = (by: number) => ({ ...counts, parts: counts.parts.map((count) => count * by) });
  return [scaled(1 / times), scaled(times)];
}

/** So many of a model's people more or less are noise in what it says of their number. */
const withinNoise = 2;

/**
 * The counts for as many people as are planned, who rate as those did. Where the model's number of people is
 * that of the plan but for its noise, they are the same people, and nothing grew.
 */
export function knownCounts({ parts: known, people }: KnownCounts, planned: { readonly people: number }) {
  const isSame =
    people === null || Math.abs(planned.people - people.about) <= withinNoise * people.error * people.about;
  const growth = isSame ? 1 : planned.people / people.about;
  return Float64Array.from(known, (count) => count * growth);
}

/** Sizes of counts lie on a grid: each stands for those half a step around it. */
function inParts({ points, items }: SpreadOfCounts): number[] {
  let [at, before] = [0, 0];
  const sizeAt = (place: number) => {
    while (at < points.length - 1 && before + points[at].items <= place) before += points[at++].items;
    const { size, items: many } = points[at];
    const within = many > 1 ? (place - before) / many : 0.5;
    return Math.max(0, size + step * (0.5 - within));
  };
  return Array.from({ length: parts }, (_, part) => {
    let square = 0;
    for (let place = 0; place < places; place++)
      square += sizeAt((items * (part + (place + 0.5) / places)) / parts) ** 2;
    return Math.sqrt(square / places);
  });
}
