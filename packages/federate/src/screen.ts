import type { AggregatorPort } from './aggregator-port.js';
import { type Charter, noiseOnLook } from './charter.js';
import { type ExchangePlan, wordCount } from './exchange-plan.js';
import { RefusedError } from './federation-errors.js';
import { isPossible, MOST_IN_LOOK } from './screening.js';
import { addUpWords } from './sharing/sharing.js';

/**
 * Finds reports that no person can have, before they are added up: looks at groups, and at each report of a
 * group whose sum so many people cannot have. The coordinator's: it decides nothing about privacy, since
 * aggregators show no more than the charter provides for, whoever asks.
 */
export class Screen {
  readonly #charter: Charter;
  readonly #exchange: number;
  readonly #planned: ExchangePlan;
  readonly #aggregators: readonly AggregatorPort[];
  /** What was found about reports so far. */
  readonly #judged = new Map<string, boolean>();
  #isResumed = false;

  constructor(
    charter: Charter,
    exchange: number,
    planned: ExchangePlan,
    aggregators: readonly AggregatorPort[],
  ) {
    this.#charter = charter;
    this.#exchange = exchange;
    this.#planned = planned;
    this.#aggregators = aggregators;
  }

  /** Those of these reports that no person can have. Each group is looked at once, by whomever. */
  async impossible(ids: readonly string[]): Promise<string[]> {
    if (!this.#isResumed) await this.#resume(ids);
    this.#isResumed = true;
    const left = ids.filter((id) => !this.#judged.has(id));
    for (let from = 0; from < left.length; from += MOST_IN_LOOK)
      await this.#judge(left.slice(from, from + MOST_IN_LOOK));
    return ids.filter((id) => this.#judged.get(id) === false);
  }

  async #judge(group: readonly string[]): Promise<void> {
    if (await this.#canBe(group)) for (const id of group) this.#judged.set(id, true);
    else for (const id of group) this.#judged.set(id, group.length > 1 && (await this.#canBe([id])));
  }

  /** Whether so many people can have the sum of these reports, as far as noise lets it be told. */
  async #canBe(ids: readonly string[]): Promise<boolean> {
    const { wordBytes } = this.#charter;
    let shares: readonly Uint8Array[];
    try {
      shares = await Promise.all(this.#aggregators.map((each) => each.look(this.#exchange, ids)));
    } catch (error) {
      // Coordinators that were killed have used up the looks: what cannot be told is believed.
      if (error instanceof RefusedError && error.status === 403) return true;
      throw error;
    }
    const values = addUpWords(shares, wordCount(this.#planned.lines), wordBytes);
    return isPossible(this.#planned, values, ids.length, noiseOnLook(this.#charter));
  }

  /** What a coordinator before this one looked at: reports are not looked at in other groups again. */
  async #resume(ids: readonly string[]): Promise<void> {
    const here = new Set(ids);
    const before = await Promise.all(this.#aggregators.map((each) => each.looks(this.#exchange)));
    const groups = new Map(before.flat().map((group) => [group.join(), group]));
    const bySize = [...groups.values()].sort((a, b) => b.length - a.length);
    for (const group of bySize)
      if (group.every((id) => here.has(id)) && group.some((id) => !this.#judged.has(id)))
        await this.#judge(group);
  }
}
