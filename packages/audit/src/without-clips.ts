import type { Method, PublicShape } from '@hushrec/factorize';
import type { CalibratedPlan } from '@hushrec/privacy';

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
 * The claimed plan as code without clips would follow it: noise, and what it is said to cost, stay as claimed, while statistics may
 * be as large as the wide clips let them be. So a recorder accepts them without being told anything false about them.
 */
export function planOfWideClips(
  method: Method,
  claimed: CalibratedPlan,
  wide: Settings,
  shape: PublicShape,
): CalibratedPlan {
  const sensitivities = new Map(
    method
      .plan(wide, shape)
      .releases.map(({ name, proved, sensitivity }) => [
        name,
        proved !== undefined && 'sensitivity' in proved ? proved.sensitivity : sensitivity,
      ]),
  );
  return {
    ...claimed,
    releases: claimed.releases.map(({ proved: _, ...line }) => {
      const sensitivity = sensitivities.get(line.name);
      if (line.perPart || sensitivity === undefined)
        throw new NoClipsError(method.id, `the noise of "${line.name}" follows the clip of each part`);
      return { ...line, sensitivity };
    }),
  };
}
