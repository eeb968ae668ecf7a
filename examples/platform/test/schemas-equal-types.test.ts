import { expect, test } from "vitest";
import type * as z from "zod";
import type { components } from "../src/generated/openapi.ts";
import type * as schemas from "../src/generated/schemas.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Without the index signature of an open object, with optional fields as JSON has them, and an open enum as a string. */
type Plain<T> = [T] extends [string]
  ? [string & {}] extends [T]
    ? string
    : T
  : T extends readonly (infer Entry)[]
    ? Plain<Entry>[]
    : T extends object
      ? { [K in keyof T as string extends K ? never : K]: Plain<Exclude<T[K], undefined>> }
      : T;

type Components = components["schemas"];
type SchemaName<Name extends string> = `${Uncapitalize<Name>}Schema`;
type Unequal = {
  [Name in keyof Components]: SchemaName<Name> extends keyof typeof schemas
    ? Equal<Plain<Components[Name]>, Plain<z.output<(typeof schemas)[SchemaName<Name>]>>> extends true
      ? never
      : Name
    : Name;
}[keyof Components];

/** The compiler's proof: the name of an unequal component would not be `true`. */
const allAreEqual: [Unequal] extends [never] ? true : Unequal = true;

test("each component's zod schema and its type from the contract are the same", () => expect(allAreEqual).toBe(true));
