import type { DurableFolder, SentShare } from '@hushrec/federate/browser';
import { element } from '../build-element.js';
import { dataTable } from '../parts/data-table.js';

export interface SentLine extends SentShare {
  /** ISO 8601. */
  readonly at: string;
}

/** Everything that left this device for a run, kept beside the run's own record. */
export class SentList {
  readonly #folder: DurableFolder;
  readonly #name: string;
  readonly #lines: SentLine[];
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(folder: DurableFolder, name: string, lines: SentLine[]) {
    this.#folder = folder;
    this.#name = name;
    this.#lines = lines;
  }

  static async open(folder: DurableFolder, run: string): Promise<SentList> {
    const name = `sent-${run}.json`;
    const kept = await folder.read(name);
    return new SentList(folder, name, kept ? (JSON.parse(new TextDecoder().decode(kept)) as SentLine[]) : []);
  }

  get lines(): readonly SentLine[] {
    return this.#lines;
  }

  add(share: SentShare): void {
    this.#lines.push({ ...share, at: new Date().toISOString() });
    const bytes = new TextEncoder().encode(JSON.stringify(this.#lines));
    this.#writing = this.#writing.then(() => this.#folder.write(this.#name, bytes)).catch(() => undefined);
  }
}

const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** What was sent, newest first; one line for each share. */
export function sentTable(lines: readonly SentLine[]): HTMLElement {
  if (lines.length === 0) return element('p', { class: 'quiet' }, 'Nothing was sent yet.');
  const total = lines.reduce((sum, { bytes }) => sum + bytes, 0);
  const shown = [...lines].reverse();
  return element(
    'div',
    {},
    element(
      'p',
      { class: 'small quiet' },
      `${lines.length} ${lines.length === 1 ? 'share' : 'shares'}, ${size(total)} in all; every attempt is listed. Each is random by itself; your ratings and the names of what you rated are in none of them.`,
    ),
    dataTable(
      {
        columns: [
          { label: 'When' },
          { label: 'Exchange' },
          { label: 'To' },
          { label: 'Size', align: 'right' },
          { label: 'Answer' },
        ],
        rows: shown.map(({ at, exchange, to, bytes, isTaken }) => [
          time.format(new Date(at)),
          String(exchange + 1),
          to,
          size(bytes),
          isTaken ? 'taken' : 'not taken',
        ]),
      },
      'Shares that were sent',
    ),
  );
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
