import { OptionError } from './command.js';

/** A span of time as it was said; `days` counts a month as 30 and a year as 365 of them. */
export interface Duration {
  readonly text: string;
  readonly days: number;
}

/** Today (UTC), as `2026-03-31`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** The first moment that is kept, in seconds since 1970: so long before the beginning of a day (UTC). */
export function keptSince({ days }: Duration, date: string | undefined): number {
  return Date.parse(date ?? today()) / 1000 - 86_400 * days;
}

/** Reads `2026-03-31`. */
export function dateOption(name: string): (text: string) => string {
  return (text) => {
    const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
      throw new OptionError(`--${name} is "${text}"; expected a day such as 2026-03-31.`);
    return text;
  };
}

const daysOf: Readonly<Record<string, number>> = { d: 1, w: 7, m: 30, y: 365 };

/** Reads `8d`, `2w`, `6m` or `2y`. */
export function durationOption(name: string): (text: string) => Duration {
  return (text) => {
    const [, count, unit] = /^([1-9]\d{0,4})([dwmy])$/.exec(text) ?? [];
    if (unit === undefined)
      throw new OptionError(`--${name} is "${text}"; expected days, weeks, months or years: 8d, 2w, 6m, 2y.`);
    return { text, days: Number(count) * daysOf[unit] };
  };
}
