// What is wrong with a number or a list, with its name; undefined where nothing is.

/** Of a tensor, which may be absent. */
export function notAllFinite(name: string, values: Float32Array | undefined): string | undefined {
  const at = values?.findIndex((each) => !Number.isFinite(each)) ?? -1;
  return at < 0 ? undefined : `${name} holds ${values![at]} at position ${at}.`;
}

export function notPositive(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && value > 0 && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a number > 0 expected.`;
}

export function notFinite(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a finite number expected.`;
}

export function notAmount(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
    ? undefined
    : `${name} is ${shown(value)}; a number ≥ 0 expected.`;
}

export function notCount(name: string, value: unknown): string | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0
    ? undefined
    : `${name} is ${shown(value)}; a whole number > 0 expected.`;
}

export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** A value in a message: never long. */
export function shown(value: unknown): string {
  return typeof value === 'object' ? 'no number' : String(value).slice(0, 40);
}
