/** How often a grant starts anew. */
export const grantPeriods = ['week', 'month', 'quarter', 'year'] as const;
export type GrantPeriod = (typeof grantPeriods)[number];

const months = { month: 1, quarter: 3, year: 12 } as const;

/**
 * The period of a grant that a moment lies in, as days `YYYY-MM-DD` in UTC, `until` excluded. Periods are
 * counted from the day of the grant. The first also counts what was spent in one period's length before it:
 * otherwise granting the same again would give back what was just spent.
 */
export function periodAt(
  grantedAt: string,
  period: GrantPeriod,
  now: string,
): { readonly from: string; readonly until: string } {
  const day = now.slice(0, 10);
  const granted = grantedAt.slice(0, 10);
  let index = 0;
  while (startOf(granted, period, index + 1) <= day) index++;
  return {
    from: startOf(granted, period, index === 0 ? -1 : index),
    until: startOf(granted, period, index + 1),
  };
}

/** The first day of a period; the 31st becomes the last day of a shorter month. */
export function startOf(granted: string, period: GrantPeriod | 'day', index: number): string {
  const [year, month, day] = granted.split('-').map(Number) as [number, number, number];
  if (period === 'day') return isoDay(Date.UTC(year, month - 1, day + index));
  if (period === 'week') return isoDay(Date.UTC(year, month - 1, day + 7 * index));
  const first = month - 1 + months[period] * index;
  const lastDay = new Date(Date.UTC(year, first + 1, 0)).getUTCDate();
  return isoDay(Date.UTC(year, first, Math.min(day, lastDay)));
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
