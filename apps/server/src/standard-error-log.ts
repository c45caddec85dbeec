/** How many bytes whoever reads the log may be behind. What comes later is left out until some were read. */
const mostBehind = 4 << 20;
const ignore = () => {};

/**
 * The log on standard error. Whoever reads it may go away or stand still, and its disk may be full: then
 * lines are lost, and requests are answered as before, in bounded memory. The next line that gets through
 * says how many were lost.
 */
export class StandardErrorLog {
  readonly #stream: NodeJS.WritableStream & { readonly writableLength: number };
  #linesLost = 0;
  #told = 0;

  constructor(stream: NodeJS.WritableStream & { readonly writableLength: number } = process.stderr) {
    this.#stream = stream;
    // Without it an error would end the process; what is lost is counted for each write.
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }

  /** Since the start; for `/metrics`. */
  get linesLost(): number {
    return this.#linesLost;
  }

  /** Takes whole lines. */
  write(text: string): void {
    const lines = text.split('\n').length - 1;
    if (this.#stream.writableLength + text.length > mostBehind) {
      this.#linesLost += lines;
      return;
    }
    const untold = this.#linesLost - this.#told;
    this.#told = this.#linesLost;
    const gap = untold === 0 ? '' : `${JSON.stringify(gapLine(untold))}\n`;
    this.#stream.write(gap + text, (error) => {
      if (error == null) return;
      this.#linesLost += lines;
      this.#told -= untold;
    });
  }
}

function gapLine(lines: number): object {
  return { time: new Date().toISOString(), level: 'warning', event: 'log-lines-lost', lines };
}
