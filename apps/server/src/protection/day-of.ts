/**
 * The day of a time (ISO 8601, UTC): what viewers are told. How long a training took depends on the ratings,
 * and no certificate covers that; two times of one run would tell it.
 */
export function dayOf(time: string): string {
  return time.slice(0, 10);
}
