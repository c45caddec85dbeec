import type { CalibratedPlan } from '@hushrec/privacy';
import type { LineShape } from './sharing/sharing-line.js';

/** One exchange: its lines, and the plan in which their noise stands. */
export interface ExchangePlan {
  readonly lines: readonly LineShape[];
  readonly plan: CalibratedPlan;
}

/** Which lines belong to which exchange, as far as it is known. */
export interface Schedule {
  /** Waits until it is known. Undefined after the last exchange. */
  at(exchange: number): Promise<ExchangePlan | undefined>;
}

/** How many words one report of an exchange has. */
export function wordCount(lines: readonly LineShape[]): number {
  return lines.reduce((sum, { length }) => sum + length, 0);
}
