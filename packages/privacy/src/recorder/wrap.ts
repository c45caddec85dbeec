import type { OpenRelease, ReleaseRecorder } from './port.js';

/** The same recorder, each of its releases in another hand: to watch, to record, or (in audits) to spoil. */
export function wrapRecorder(
  recorder: ReleaseRecorder,
  wrap: (open: OpenRelease, name: string) => Partial<OpenRelease>,
): ReleaseRecorder {
  return {
    get plan() {
      return recorder.plan;
    },
    get simulation() {
      return recorder.simulation;
    },
    stage: (lines) => recorder.stage(lines),
    begin(name) {
      const open = recorder.begin(name);
      return {
        name: open.name,
        noise: open.noise,
        add: (...given) => open.add(...given),
        flip: (...given) => open.flip(...given),
        select: (...given) => open.select(...given),
        thresholdedLaplace: (...given) => open.thresholdedLaplace(...given),
        close: () => open.close(),
        ...wrap(open, name),
      };
    },
    finish: () => recorder.finish(),
  };
}
