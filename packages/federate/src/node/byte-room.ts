/**
 * Room for so many bytes at a time. Whoever finds none waits, first come first served: on a connection that
 * is not read the other side waits too, so that however many send at once, memory stays bounded.
 */
export class ByteRoom {
  #left: number;
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /**
   * Settles when there is room, for nothing at once; what it gives makes it free again. Nobody may ask for
   * more than all.
   */
  async take(bytes: number): Promise<() => void> {
    if (bytes === 0) return () => undefined;
    if (this.#waiting.length > 0 || bytes > this.#left)
      await new Promise<void>((enter) => this.#waiting.push({ bytes, enter }));
    else this.#left -= bytes;
    return () => this.#free(bytes);
  }

  #free(bytes: number): void {
    this.#left += bytes;
    while (this.#waiting.length > 0 && this.#waiting[0].bytes <= this.#left) {
      const { bytes: taken, enter } = this.#waiting.shift()!;
      this.#left -= taken;
      enter();
    }
  }
}
