import type { PlanRequest } from '@hushrec/page/contract';
import { ProblemError } from '../problem.js';

const mostKept = 1000;

/**
 * The requests of the plans that were shown last, by hash. A run is refused by the hash alone; these say what
 * is different.
 */
export class ShownPlans {
  readonly #requests = new Map<string, PlanRequest>();

  remember(hash: string, request: PlanRequest): void {
    this.#requests.delete(hash);
    this.#requests.set(hash, request);
    if (this.#requests.size > mostKept) this.#requests.delete(this.#requests.keys().next().value!);
  }

  /** For a run that names a plan which is not its own. */
  refusal(hash: string, asked: PlanRequest): ProblemError {
    const shown = this.#requests.get(hash);
    return new ProblemError(
      409,
      'This is not the plan that was shown.',
      `${shown === undefined ? 'This server has shown no plan with this hash since it started.' : whatDiffers(shown, asked)} Nothing was charged. Ask for the plan again (POST /api/plans), and start the run with its hash.`,
    );
  }
}

function whatDiffers(shown: PlanRequest, asked: PlanRequest): string {
  const [before, now] = [shown, asked].map(
    ({ settings, ...rest }) =>
      new Map<string, unknown>([...Object.entries(rest), ...Object.entries(settings)]),
  );
  const different = [...new Set([...before.keys(), ...now.keys()])]
    .filter((key) => textOf(before.get(key)) !== textOf(now.get(key)))
    .map((key) => `${key}: shown ${textOf(before.get(key))}, asked for ${textOf(now.get(key))}`);
  return different.length === 0
    ? 'The data set or this server has changed since the plan was shown.'
    : `What differs: ${different.join('; ')}.`;
}

function textOf(value: unknown): string {
  return value === undefined ? 'none' : String(value);
}
