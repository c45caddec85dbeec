/** What this person chose on this device: kept in the browser's storage, sent to nobody. */
export interface DeviceChoices {
  /** The run that is switched on, by its charter's hash. */
  readonly on?: string;
  /** Public keys of aggregators that are believed to add their noise. */
  readonly believed: readonly string[];
  /** Most ε of all runs together. */
  readonly mostEpsilon: number;
}

const key = 'hushrec.take-part';

export function readChoices(): DeviceChoices {
  try {
    const { on, believed, mostEpsilon } = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<
      string,
      unknown
    >;
    return {
      ...(typeof on === 'string' && { on }),
      believed: Array.isArray(believed) ? believed.map(String) : [],
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
