import type { Card } from '@hushrec/federate/browser';

/** What this person chose on this device: kept in the browser's storage, sent to nobody. */
export interface DeviceChoices {
  /** The run that is switched on, by its charter's hash. */
  readonly on?: string;
  /**
   * Cards of aggregators that are believed to add their noise, as they were when they were chosen: a charter
   * that says something else of one of them is refused.
   */
  readonly believed: readonly Card[];
  /** Most ε of all runs together. */
  readonly mostEpsilon: number;
}

const key = 'hushrec.take-part';

const isCard = (value: unknown): value is Card =>
  typeof value === 'object' && value !== null && 'publicKey' in value && 'url' in value;

export function readChoices(): DeviceChoices {
  try {
    const { on, believed, mostEpsilon } = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<
      string,
      unknown
    >;
    return {
      ...(typeof on === 'string' && { on }),
      believed: Array.isArray(believed) ? believed.filter(isCard) : [],
      mostEpsilon: typeof mostEpsilon === 'number' && mostEpsilon > 0 ? mostEpsilon : 10,
    };
  } catch {
    return { believed: [], mostEpsilon: 10 };
  }
}

export function keepChoices(choices: DeviceChoices): void {
  try {
    localStorage.setItem(key, JSON.stringify(choices));
  } catch {
    // A full or forbidden storage only means that the choices end with this tab.
  }
}
