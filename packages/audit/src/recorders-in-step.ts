import type { ReleaseRecorder } from '@hushrec/privacy';

/** Two recorders that go through the same stages: one draws, and one of them says what the plan is. */
export function recordersInStep(recorders: {
  readonly draws: ReleaseRecorder;
  readonly follows: ReleaseRecorder;
  readonly plan: ReleaseRecorder;
}): ReleaseRecorder {
  const { draws, follows, plan } = recorders;
  return {
    get plan() {
      return plan.plan;
    },
    simulation: draws.simulation,
    stage(lines) {
      follows.stage(lines);
      draws.stage(lines);
    },
    begin: (name) => draws.begin(name),
    finish: () => draws.finish(),
  };
}
