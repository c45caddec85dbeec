import type { Method } from '@hushrec/factorize';
import { OptionError } from './command.js';

const units = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** "2GiB" or "512 MiB" as bytes. */
export function memoryOption(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(KiB|MiB|GiB|TiB)$/.exec(text) ?? [];
  if (unit === undefined) throw new OptionError(`--memory ${text}: expected a size such as 2GiB or 768MiB.`);
  return Number(number) * units[unit as keyof typeof units];
}

/** Refuses what cannot be done with people on disk, before anything is read. */
export async function checkMemory(
  method: Method,
  { memory, protocol }: { readonly memory?: number; readonly protocol?: string },
): Promise<void> {
  if (memory === undefined) return;
  const { LEAST_MEMORY } = await import('@hushrec/statistics');
  if (!(memory >= LEAST_MEMORY))
    throw new OptionError(
      `--memory is ${Math.round(memory / units.MiB)} MiB; expected at least ${Math.ceil(LEAST_MEMORY / units.MiB)}MiB: Node itself takes most of that.`,
    );
  if (method.needs === 'ratings')
    throw new OptionError(
      `${method.id} must see all ratings at once, so it cannot train within --memory. \`hushrec methods\` says which methods can; leave --memory out to train it in memory.`,
    );
  if (protocol !== undefined)
    throw new OptionError(
      `--memory trains on the whole data set; --protocol ${protocol} needs it in memory to divide it. Leave out one of them.`,
    );
}
