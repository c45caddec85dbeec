import type { CalibratedPlan, PrivacyRecord, ReleasePlan, ReleaseRecorder } from '@hushrec/privacy';

/** The plan of a method that publishes exact statistics: it promises nothing, so it lists nothing. */
export function planWithoutPrivacy(released: string): ReleasePlan {
  return { unit: 'user', relation: 'add-remove', released, releases: [] };
}

/** A method without privacy was asked for a finite ε. */
export class NoGuaranteeError extends RangeError {
  override readonly name = 'NoGuaranteeError';
  readonly kind = 'privacy';
  readonly method: string;
  readonly epsilon: number;
  constructor(method: string, epsilon: number) {
    super(
      `${method} publishes exact statistics and cannot give epsilon ${epsilon}; expected no epsilon (Infinity). ` +
        'Choose a private method, or leave epsilon out to train without any guarantee.',
    );
    this.method = method;
    this.epsilon = epsilon;
  }
}

/**
 * Recorder of a method without privacy. Nothing may pass through it, and its record is one `non-private`
 * event, so that no accountant can find a finite ε in it (an empty record would read as ε = 0).
 */
export function recorderWithoutPrivacy(
  plan: ReleasePlan,
  method: string,
  simulation: boolean,
): ReleaseRecorder {
  const calibrated: CalibratedPlan = {
    ...plan,
    epsilon: Number.POSITIVE_INFINITY,
    delta: 0,
    accountant: 'none',
    releases: [],
  };
  const event = { kind: 'non-private', because: `${method} publishes exact statistics` } as const;
  const refuse = (what: string): never => {
    throw new Error(
      `${method} is a method without privacy and tried to release ${what} as if it were private.`,
    );
  };
  return {
    plan: calibrated,
    simulation,
    stage: () => refuse('a stage'),
    begin: (name) => refuse(`"${name}"`),
    finish(): PrivacyRecord {
      return { plan: calibrated, simulation, releases: [], event };
    },
  };
}
