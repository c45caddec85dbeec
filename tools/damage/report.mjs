/** What became of the cases of one target. */
export class Report {
  /** Everything tried. A case may hold several inputs. */
  total = 0;
  /** Lines, with the words that give each again. */
  faults = [];
  isUnfinished = false;
  #target;
  #outcomes = new Map();
  #facts = new Map();
  #began = process.hrtime.bigint();

  constructor(target) {
    this.#target = target;
  }

  /** A case that ended as it should. */
  tried(outcome, inputs = 1) {
    this.total += inputs;
    this.#count(outcome);
  }

  /**
   * A case that did not. The first are told at once, all at the end.
   *
   * @param again the words that give it again
   */
  fault(again, what, inputs = 1) {
    this.total += inputs;
    this.#count('FAULTS');
    const line = `  fault: ${again}: ${what}`;
    this.faults.push(line);
    if (this.faults.length <= 8) console.log(line);
  }

  /** How it goes on, in a long run. */
  progress(words) {
    console.log(`  ${this.#target.name}: ${words}`);
  }

  /** Not all was tried, and the runner does not end well. */
  unfinished(words) {
    this.isUnfinished = true;
    this.fact('unfinished', words);
  }

  /** Something else to say of the target at its end; the last word of a name counts. */
  fact(name, words) {
    this.#facts.set(name, words);
  }

  summary() {
    const { name, what } = this.#target;
    const outcomes = [...this.#outcomes].sort().map(([outcome, count]) => `${count} ${outcome}`);
    const seconds = Number(process.hrtime.bigint() - this.#began) / 1e9;
    const facts = [...this.#facts.values(), `${seconds.toFixed(1)} s`];
    return `${what === undefined ? name : `${name}: ${what}`}\n  ${this.total} tried: ${outcomes.join(', ')}; ${facts.join(', ')}`;
  }

  #count(outcome) {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }
}
