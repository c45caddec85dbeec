import {
  type ItemModel,
  isSameForAll,
  type PublishedModel,
  predictionAt,
  type RatingRange,
} from '@hushrec/model';
import type { Usefulness } from '@hushrec/model/usefulness';
import { gradeOf } from './fold-in.js';
import { type ItemChoice, leftOut } from './item-choice.js';
import { type IndexedHistory, itemCountOf, type ModelCache, type Scorer, scorerFor } from './scorer.js';
import { topK } from './top-k.js';

/** The part of a published model that recommending needs. */
export interface RecommendableModel {
  readonly model: ItemModel;
  readonly itemIds: readonly string[];
  /** By item index; '' where unknown. */
  readonly titles?: readonly string[];
  /**
   * Addresses of items' pages and pictures, by item index; '' where unknown. Others than web addresses are
   * left out.
   */
  readonly links?: readonly string[];
  readonly images?: readonly string[];
  /** Predictions of explicit models are clamped to it. */
  readonly scale?: RatingRange;
  /**
   * What the certificate says about noise. Where noise rules, everyone gets what is popular, and no reasons.
   */
  readonly usefulness?: Usefulness;
}

/** What a published model holds of this. */
export function recommendable({ model, manifest, certificate }: PublishedModel): RecommendableModel {
  const { itemIds, titles, links, images, scale } = manifest;
  const { usefulness } = certificate;
  return {
    model,
    itemIds,
    ...(titles && { titles }),
    ...(links && { links }),
    ...(images && { images }),
    ...(scale && { scale }),
    ...(usefulness && { usefulness }),
  };
}

/**
 * One line of a person's own history. The rating may be left out where the model learned from choices; a
 * model that learned from grades takes a low rating for something seen and not liked.
 */
export interface HistoryEntry {
  readonly id: string;
  readonly rating?: number;
}

/**
 * "Because you liked …": how much one item of the history added to the score of this item beyond what it adds
 * to the average item.
 */
export interface Reason {
  readonly id: string;
  readonly title?: string;
  readonly contribution: number;
}

/** One item for one person. */
export interface Recommendation {
  readonly id: string;
  readonly title?: string;
  /** Web addresses (or paths on the page's own site) of the item's page and picture. */
  readonly link?: string;
  readonly image?: string;
  /** As `predict` gives it where the ranking rests on the history; else popularity or the items' mean. */
  readonly score: number;
  /** Largest contributions first; none where nothing stands out. */
  readonly because: readonly Reason[];
}

/**
 * What a ranking rests on; the ladder for people without a usable history is what they say about themselves,
 * where the model learned from that, popularity, then the items' own means.
 */
export type Basis = 'history' | 'features' | 'popularity' | 'item-means';

/** A ranking for one person, and what it rests on. */
export interface Recommendations {
  readonly items: readonly Recommendation[];
  readonly basis: Basis;
  /** True where the history had no influence because the model is too noisy to be personal. */
  readonly tooNoisy: boolean;
  /** True where the model has no vectors: everybody gets this list, less what she knows. */
  readonly sameForAll: boolean;
  /** Ids of the history, and features, that the model does not know; they had no influence. */
  readonly unknown: readonly string[];
}

/** A history line that cannot be used. */
export class HistoryError extends RangeError {
  override readonly name = 'HistoryError';
  readonly kind = 'data';
  readonly line: number;
  constructor(line: number, problem: string) {
    super(`Line ${line} of the history ${problem}`);
    this.line = line;
  }
}

/**
 * Share of all that a history does for an item beyond the average one, from which on a rating is a reason.
 */
const standsOutFrom = 0.05;

/** How long the ranking is, how far it is explained, and what stays out of it. */
export interface RecommendOptions extends ItemChoice {
  readonly k?: number;
  /** How many reasons per item at most; 0 skips the work. */
  readonly reasons?: number;
  /** Items of the history may be shown again; otherwise they are left out. */
  readonly includeSeen?: boolean;
  /**
   * What she says about herself, for a model that learned from features of people (`personFeatures`). Like
   * the history it stays on her device.
   */
  readonly about?: readonly string[];
}

/**
 * Turns one person's own history into recommendations, on their device; holds nothing about anyone between
 * calls.
 */
export class Recommender {
  readonly #published: RecommendableModel;
  readonly #indexOf: ReadonlyMap<string, number>;
  readonly #cache: ModelCache = {};
  readonly #isSameForAll: boolean;

  constructor(published: RecommendableModel) {
    const items = itemCountOf(published.model);
    if (items !== published.itemIds.length) {
      throw new RangeError(
        `The model has ${items} items and ${published.itemIds.length} item ids. Fetch the model again.`,
      );
    }
    this.#published = published;
    this.#isSameForAll = isSameForAll(published.model);
    this.#indexOf = new Map(published.itemIds.map((id, index) => [id, index]));
  }

  /**
   * Top-k for a history, items of the history left out.
   *
   * @throws HistoryError when an id is no text, or a rating is missing, not a number or outside the model's
   * scale.
   */
  recommend(history: Iterable<HistoryEntry>, options: RecommendOptions = {}): Recommendations {
    const { k = 10, reasons = 3 } = options;
    const { model } = this.#published;
    const { indexed, unknown } = this.#index(history, options.about);
    const scorer = scorerFor(model, indexed, this.#cache);
    const { basis, score } = this.#ladder(indexed, scorer);
    const seen = options.includeSeen ? [] : indexed.items;
    const best = topK(
      this.#published.itemIds.length,
      score,
      k,
      leftOut(this.#published.itemIds, options, seen),
    );
    const items = Array.from(best.items, (item, place) => ({
      ...this.#name(item),
      ...this.#addresses(item),
      score:
        basis === 'history' || basis === 'features'
          ? this.#predicted(best.scores[place])
          : best.scores[place],
      because: basis === 'history' && reasons > 0 ? this.#reasons(scorer, indexed, item, reasons) : [],
    }));
    return {
      items,
      basis,
      tooNoisy: basis !== 'history' && basis !== 'features' && this.#isNoise && indexed.items.length > 0,
      sameForAll: this.#isSameForAll,
      unknown,
    };
  }

  /**
   * Of one item, what the model predicts; undefined if unknown. A rating (explicit) or an expected count
   * (poisson), clamped to the scale; the chance that it is liked, 0 to 1 (logistic); a preference (implicit).
   */
  predict(history: Iterable<HistoryEntry>, id: string, about?: readonly string[]): number | undefined {
    const item = this.#indexOf.get(id);
    if (item === undefined) return undefined;
    const { indexed } = this.#index(history, about);
    return this.#predicted(scorerFor(this.#published.model, indexed, this.#cache).score(item));
  }

  /** Vectors are noise, and there is released popularity to fall back on. */
  get #isNoise(): boolean {
    const { model, usefulness } = this.#published;
    return usefulness?.verdict === 'too-noisy' && model.kind === 'factors' && model.popularity !== undefined;
  }

  #index(
    history: Iterable<HistoryEntry>,
    about: readonly string[] = [],
  ): { indexed: IndexedHistory; unknown: string[] } {
    const { model, scale } = this.#published;
    const ratings = new Map<number, number>(); // a later line about the same item replaces the earlier one
    const unknown: string[] = [];
    let line = 0;
    const grades = model.kind === 'factors' ? model.foldIn.grades : undefined;
    const range = grades ?? (model.feedback === 'explicit' ? scale : undefined);
    for (const { id, rating } of history) {
      line++;
      // 155 would never be found among ids, which are text, and everyone would get what is popular.
      if (typeof id !== 'string')
        throw new HistoryError(line, `has the id ${JSON.stringify(id)}; ids are text: write "${id}".`);
      if (model.feedback === 'explicit' && !Number.isFinite(rating))
        throw new HistoryError(line, 'has no rating; this model needs one per item.');
      if (range !== undefined && rating !== undefined && !(rating >= range.min && rating <= range.max))
        throw new HistoryError(line, `has a rating outside the model's scale ${range.min} to ${range.max}.`);
      const index = this.#indexOf.get(id);
      if (index === undefined) unknown.push(id);
      else ratings.set(index, rating ?? grades?.max ?? 1);
    }
    const declared = (model.kind === 'factors' && model.personFeatures?.names) || [];
    const features = about.map((name) => declared.indexOf(name));
    unknown.push(...about.filter((_, at) => features[at] < 0));
    return {
      indexed: {
        items: Uint32Array.from(ratings.keys()),
        ratings: Float64Array.from(ratings.values()),
        features: features.filter((at) => at >= 0),
      },
      unknown,
    };
  }

  #ladder(history: IndexedHistory, scorer: Scorer): { basis: Basis; score: (item: number) => number } {
    const { model } = this.#published;
    const canBePersonal = !this.#isSameForAll && !this.#isNoise;
    if (canBePersonal && history.ratings.some((rating) => gradeOf(model, rating) > 0)) {
      const scores = scorer.scores?.();
      return { basis: 'history', score: scores ? (item) => scores[item] : scorer.score };
    }
    if (canBePersonal && history.features?.length) return { basis: 'features', score: scorer.score };
    const popularity = model.kind === 'baseline' ? undefined : model.popularity;
    // Stars that are the same for all are the items' means; what is popular is for those without a history.
    if (model.feedback === 'explicit' && this.#isSameForAll && !this.#isNoise && history.items.length > 0)
      return { basis: 'item-means', score: scorer.base };
    if (popularity !== undefined) return { basis: 'popularity', score: (item) => popularity[item] };
    if (model.kind === 'baseline' && model.feedback === 'implicit')
      return { basis: 'popularity', score: scorer.base };
    return { basis: 'item-means', score: scorer.base };
  }

  #reasons(scorer: Scorer, history: IndexedHistory, item: number, count: number): Reason[] {
    const lifts = scorer.lifts(item);
    const best = topK(lifts.length, (k) => lifts[k], count);
    const least = standsOutFrom * lifts.reduce((total, lift) => total + Math.abs(lift), 0);
    return Array.from(best.items, (k) => ({
      ...this.#name(history.items[k]),
      contribution: lifts[k],
    })).filter(({ contribution }) => contribution > 0 && contribution >= least);
  }

  #name(item: number): { id: string; title?: string } {
    const title = this.#published.titles?.[item];
    return { id: this.#published.itemIds[item], ...(title ? { title } : {}) };
  }

  /** A model comes from elsewhere, and a link that runs a script would run it in the page that shows it. */
  #addresses(item: number): { link?: string; image?: string } {
    const { links, images } = this.#published;
    const safe = (address = '') => (/^(?:https?:\/\/|\/(?!\/))/i.test(address) ? address : undefined);
    const [link, image] = [safe(links?.[item]), safe(images?.[item])];
    return { ...(link && { link }), ...(image && { image }) };
  }

  #predicted(score: number): number {
    const { model, scale } = this.#published;
    const loss = model.kind === 'factors' ? model.loss : undefined;
    const prediction = predictionAt(loss, score);
    if (model.feedback === 'implicit' || loss?.kind === 'logistic' || scale === undefined) return prediction;
    return Math.min(scale.max, Math.max(scale.min, prediction));
  }
}
