import type { Run } from '@hushrec/page/contract';

export {
  type LiveSignal,
  type Run,
  type RunProgress,
  type RunRequest,
  type RunStatus,
  runStatuses,
} from '@hushrec/page/contract';

/** No later change is possible, except by resuming it. */
export function hasEnded(run: Run): boolean {
  return run.status !== 'queued' && run.status !== 'running';
}
