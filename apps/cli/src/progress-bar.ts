import type { LiveSignal } from '@hushrec/train';

/**
 * Progress of long work on standard error: a bar with time left on a terminal, one line per stage elsewhere.
 * A program that starts this one and sets HUSHREC_PROGRESS=json gets every update as a line of JSON instead.
 */
export interface ProgressUpdate {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  /** What was released so far and how much of it is more than noise; for programs, a bar does not show it. */
  readonly live?: LiveSignal;
}

const redrawEveryMs = 100;

export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  #stage = '';
  #stageStart = 0;
  #lastDraw = 0;
  #drawn = false;
  readonly #asJson = process.env['HUSHREC_PROGRESS'] === 'json';

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  update({ stage, done, total, live }: ProgressUpdate): void {
    const now = performance.now();
    if (this.#asJson) {
      const isSoon = stage === this.#stage && now - this.#lastDraw < redrawEveryMs && done < total;
      if (isSoon && live === undefined) return;
      this.#stage = stage;
      this.#lastDraw = now;
      this.#stream.write(`${JSON.stringify({ stage, done, total, live })}\n`);
      return;
    }
    if (live !== undefined) return;
    if (stage !== this.#stage) {
      this.#stage = stage;
      this.#stageStart = now;
      this.#lastDraw = 0;
      if (!this.#stream.isTTY) this.#stream.write(`${stage} …\n`);
    }
    if (!this.#stream.isTTY || (now - this.#lastDraw < redrawEveryMs && done < total)) return;
    this.#lastDraw = now;
    this.#drawn = true;
    this.#stream.write(
      `\r\x1b[2K${drawBar(stage, done, total, now - this.#stageStart, this.#stream.columns || 80)}`,
    );
  }

  /** Removes the bar, so that what comes next starts on a clean line. */
  clear(): void {
    if (this.#drawn) this.#stream.write('\r\x1b[2K');
    this.#drawn = false;
  }
}

/** One line: stage, bar, percentage, time left. */
export function drawBar(
  stage: string,
  done: number,
  total: number,
  elapsedMs: number,
  columns: number,
): string {
  const fraction = total > 0 ? Math.min(1, done / total) : 0;
  const left =
    fraction > 0 && fraction < 1 ? ` ${duration((elapsedMs * (1 - fraction)) / fraction)} left` : '';
  const suffix = ` ${String(Math.round(fraction * 100)).padStart(3)}%${left}`;
  const width = Math.max(5, Math.min(30, columns - stage.length - suffix.length - 4));
  const filled = Math.round(width * fraction);
  return `${stage} ${'█'.repeat(filled)}${'░'.repeat(width - filled)}${suffix}`.slice(0, columns - 1);
}

/** "45 s", "3 min", "2 h 5 min". */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
