import { randomInt } from 'node:crypto';

/**
 * Numbers of ASCII texts, looked up by their bytes where they stand in a block, so that a text that was met
 * before need not become a string. Open addressing over FNV-1a, at most half full: O(length) a look-up.
 */
export class AsciiIndex {
  /**
   * Where hashes start: a secret of this index, so that nobody can write a file whose ids all fall into one
   * place and make its import slow. It decides where texts lie in the table, never their numbers.
   */
  readonly #start = randomInt(2 ** 32);
  /** 1 + entry, 0 where free. */
  #table = new Uint32Array(1 << 10);
  #bytes: Buffer = Buffer.alloc(1 << 12);
  #used = 0;
  /**
   * Of each entry: hash, where its bytes end (they begin where those of the one before end), and its number.
   */
  #hashes = new Int32Array(1 << 9);
  #ends = new Uint32Array(1 << 9);
  #numbers = new Uint32Array(1 << 9);
  #count = 0;

  /** The number of the text in block[from … to), or −1 if it is not known or not ASCII. */
  find(block: Uint8Array, from: number, to: number): number {
    let hash = this.#start;
    for (let k = from; k < to; k++) {
      const byte = block[k];
      if (byte > 127) return -1;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    hash ^= hash >>> 15;
    const mask = this.#table.length - 1;
    for (let slot = hash & mask; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const entry = this.#table[slot] - 1;
      if (this.#hashes[entry] === hash && this.#holds(entry, block, from, to)) return this.#numbers[entry];
    }
    return -1;
  }

  /** Remembers a text that is not there yet; leaves out what is not ASCII. */
  add(text: string, number: number): void {
    let hash = this.#start;
    for (let k = 0; k < text.length; k++) {
      const unit = text.charCodeAt(k);
      if (unit > 127) return;
      hash = Math.imul(hash ^ unit, 0x01000193);
    }
    hash ^= hash >>> 15;
    this.#makeRoom(text.length);
    const entry = this.#count++;
    this.#used += this.#bytes.write(text, this.#used, 'latin1');
    this.#hashes[entry] = hash;
    this.#ends[entry] = this.#used;
    this.#numbers[entry] = number;
    this.#place(entry);
  }

  #holds(entry: number, block: Uint8Array, from: number, to: number): boolean {
    const begin = entry === 0 ? 0 : this.#ends[entry - 1];
    if (this.#ends[entry] - begin !== to - from) return false;
    for (let k = from; k < to; k++) if (this.#bytes[begin + k - from] !== block[k]) return false;
    return true;
  }

  #place(entry: number): void {
    const mask = this.#table.length - 1;
    let slot = this.#hashes[entry] & mask;
    while (this.#table[slot] !== 0) slot = (slot + 1) & mask;
    this.#table[slot] = entry + 1;
  }

  #makeRoom(length: number): void {
    if (this.#used + length > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length + length)]);
    if (this.#count < this.#hashes.length) return;
    const size = 2 * this.#hashes.length;
    const hashes = new Int32Array(size);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#ends = grown(this.#ends, size);
    this.#numbers = grown(this.#numbers, size);
    this.#table = new Uint32Array(2 * size);
    for (let entry = 0; entry < this.#count; entry++) this.#place(entry);
  }
}

function grown(array: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(array);
  return larger;
}
