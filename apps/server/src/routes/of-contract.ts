import type { z } from '@hono/zod-openapi';

/**
 * A type as JSON has it, all the way down: nothing is `readonly`, which schemas do not say and the contract
 * says everywhere, and an optional field that is there has a value.
 */
type AsJson<T> = T extends readonly (infer Element)[]
  ? AsJson<Element>[]
  : T extends object
    ? { -readonly [Key in keyof T]: AsJson<Exclude<T[Key], undefined>> }
    : T;

/**
 * `unknown` where both are the same type, never otherwise: assignable both ways would pass optional fields.
 */
type Same<A, B> =
  (<T>() => T extends AsJson<A> ? 1 : 2) extends <T>() => T extends AsJson<B> ? 1 : 2 ? unknown : never;

/**
 * The schema as it is, where it says exactly what a type of the contract (`@hushrec/page/contract`) says. A
 * field that only one of them has, is optional in only one, or has another type stops the build.
 */
export function ofContract<Contract>() {
  return <Schema extends z.ZodType>(schema: Schema & Same<z.infer<Schema>, Contract>): Schema => schema;
}
