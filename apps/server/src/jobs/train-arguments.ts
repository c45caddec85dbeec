import type { Run } from '../state/run.js';

/** Arguments of `hushrec` for a run. Every value is one argument of its own; no shell is involved. */
export function trainArguments(
  request: Run['request'],
  places: { readonly dataset: string; readonly model: string; readonly resume: boolean },
  startedBy: string | null = null,
): string[] {
  return [
    'train',
    places.dataset,
    `--method=${request.method}`,
    ...(request.epsilon === undefined ? [] : [`--epsilon=${request.epsilon}`]),
    ...(request.delta === undefined ? [] : [`--delta=${request.delta}`]),
    ...(request.goal === undefined ? [] : [`--goal=${request.goal}`]),
    ...likedArgument(request),
    ...Object.entries(request.settings).map(([key, value]) => `--set=${key}=${value}`),
    ...(request.recordUnprotected === true ? ['--record-unprotected'] : []),
    ...(startedBy === null ? [] : [`--note=${startedBy}`]),
    ...(request.plan === undefined ? [] : [`--plan=${request.plan}`]),
    `--out=${places.model}`,
    ...(places.resume ? ['--resume'] : []),
    '--json',
  ];
}

/** Arguments to measure the model of a finished run, on the same kind of feedback. */
export function evaluateArguments(
  request: Run['request'],
  places: { readonly dataset: string; readonly model: string },
): string[] {
  const liked = likedArgument(request);
  return ['evaluate', places.model, places.dataset, '--protocol=holdout', ...liked, '--json'];
}

function likedArgument({ liked }: Run['request']): string[] {
  return liked === undefined ? [] : [`--liked=${liked}`];
}
