import type { Method, PublicShape } from '@hushrec/factorize';
import type { CalibratedPlan, ReleaseRecorder } from '@hushrec/privacy';

type Settings = Readonly<Record<string, number | string | boolean>>;

/** A clip that was widened on purpose. */
export interface WidenedClip {
  readonly setting: string;
  readonly planned: number;
  readonly used: number;
}

/** How many times wider: what the far-out canary contributes then passes. */
const widening = 1000;

/** The method does not say which of its settings clip contributions, or clips them by more than a setting. */
export class NoClipsError extends RangeError {
  override readonly name = 'NoClipsError';
  readonly kind = 'usage';
  readonly method: string;
  constructor(method: string, why: string) {
    super(`The clips of ${method} cannot be removed: ${why}. Audit it as it is, or a method such as dpals.`);
    this.method = method;
  }
}

/** The settings with every declared clip a thousand times wider, whatever its allowed range. */
export function widenedClips(
  method: Method,
  settings: Settings,
): { readonly settings: Settings; readonly clips: readonly WidenedClip[] } {
  const clips = (method.clips ?? []).map((setting) => {
    const planned = Number(settings[setting]);
    return { setting, planned, used: planned * widening };
  });
  if (clips.length === 0) throw new NoClipsError(method.id, 'it declares none');
  const wide = Object.fromEntries(clips.map(({ setting, used }) => [setting, used]));
  return { settings: { ...settings, ...wide }, clips };
}

/**
 * The claimed plan as code without clips would follow it: noise, and what it is said to cost, stay as
 * claimed, while statistics may be as large as the wide clips let them be. So a recorder accepts them without
 * being told anything false about them.
 */
export function planOfWideClips(
  method: Method,
  claimed: CalibratedPlan,
  wide: Settings,
  shape: PublicShape,
): CalibratedPlan {
  const { releases, later } = method.plan(wide, shape);
  const sensitivities = new Map(
    releases.map(({ name, proved, sensitivity }) => [
      name,
      proved !== undefined && 'sensitivity' in proved ? proved.sensitivity : sensitivity,
    ]),
  );
  return {
    ...claimed,
    ...(later && claimed.total && { later, total: { ...claimed.total, mu: widening * claimed.total.mu } }),
    releases: claimed.releases.map(({ proved: _, ...line }) => {
      const sensitivity = sensitivities.get(line.name);
      if (line.perPart || sensitivity === undefined)
        throw new NoClipsError(method.id, `the noise of "${line.name}" follows the clip of each part`);
      return { ...line, sensitivity };
    }),
  };
}

/**
 * The same for later stages, whose noise follows from lines as they come. Under a total of `widening` times
 * the claimed μ (see `planOfWideClips`) a line of share s·(w/widening)² that is w times wider than claimed
 * gets the noise that a line of share s gets as claimed.
 */
export function stagesOfWideClips(recorder: ReleaseRecorder, claimed: CalibratedPlan): ReleaseRecorder {
  const sensitivityIn = (plan: CalibratedPlan, name: string) =>
    plan.later?.allowed.find((line) => line.name === name)?.sensitivity ?? Number.NaN;
  return {
    get plan() {
      return recorder.plan;
    },
    simulation: recorder.simulation,
    stage: (lines) =>
      recorder.stage(
        lines.map((line) => {
          const wider = sensitivityIn(recorder.plan, line.name) / sensitivityIn(claimed, line.name);
          return { ...line, share: line.share * (wider / widening) ** 2 };
        }),
      ),
    begin: (name) => recorder.begin(name),
    finish: () => recorder.finish(),
  };
}
