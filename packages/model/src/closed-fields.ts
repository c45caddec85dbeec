/** What is wrong with a document, and where; `isUnknown` where a field is there that must not be. */
export interface FieldFault {
  readonly place: string;
  readonly isUnknown: boolean;
}

/**
 * Finds the first fault of a value that was read from JSON. A closed look refuses fields that no rule names;
 * an open one, which readers take, lets them be.
 */
export type Rule = (value: unknown, place: string, look: 'closed' | 'open') => FieldFault | undefined;

/** A rule for a field that may be absent. */
export type OptionalRule = Rule & { readonly isOptional: true };

/** One rule for each field of a type: a field that is added to the type needs one before it compiles. */
export type RulesOf<Type> = {
  readonly [Name in keyof Type]-?: Pick<Type, Name> extends Required<Pick<Type, Name>> ? Rule : OptionalRule;
};

/** A rule from a test of the value alone. */
export const is =
  (test: (value: unknown) => boolean): Rule =>
  (value, place) =>
    test(value) ? undefined : { place, isUnknown: false };

export const optional = (rule: Rule): OptionalRule =>
  Object.assign<Rule, { readonly isOptional: true }>(
    (value, place, look) => (value === undefined ? undefined : rule(value, place, look)),
    { isOptional: true },
  );

/** A field that some documents have no place for: to a closed look it is unknown there. */
export const optionalWhere = (isAllowed: boolean, rule: Rule): OptionalRule =>
  optional((value, place, look) =>
    isAllowed || look === 'open' ? rule(value, place, look) : { place, isUnknown: true },
  );

export const orNull =
  (rule: Rule): Rule =>
  (value, place, look) =>
    value === null ? undefined : rule(value, place, look);

/** An object with the fields of a type, and to a closed look no others. */
export function fieldsOf<Type>(rules: RulesOf<Type>): Rule {
  const known = Object.entries<Rule>(rules);
  return (value, place, look) => {
    if (!isRecord(value)) return { place, isUnknown: false };
    const within = (name: string) => (place === '' ? name : `${place}.${name}`);
    for (const [name, rule] of known) {
      const fault = rule(Object.hasOwn(value, name) ? value[name] : undefined, within(name), look);
      if (fault !== undefined) return fault;
    }
    const other =
      look === 'closed' ? Object.keys(value).find((name) => !Object.hasOwn(rules, name)) : undefined;
    return other === undefined ? undefined : { place: within(other), isUnknown: true };
  };
}

export const listOf =
  (rule: Rule): Rule =>
  (value, place, look) => {
    if (!Array.isArray(value)) return { place, isUnknown: false };
    for (const [at, each] of value.entries()) {
      const fault = rule(each, `${place}[${at}]`, look);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

/** An object whose names are not known here. */
export const recordOf =
  (rule: Rule): Rule =>
  (value, place, look) => {
    if (!isRecord(value)) return { place, isUnknown: false };
    for (const [name, each] of Object.entries(value)) {
      const fault = rule(each, `${place}.${name}`, look);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

export const text = is((value) => typeof value === 'string');
export const flag = is((value) => typeof value === 'boolean');
export const number = is(isNumber);
export const amount = is((value) => isNumber(value) && value >= 0);
export const whole = is((value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const hash = is((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value));
export const oneOf = (...choices: readonly string[]) => is((value) => choices.includes(value as string));

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
