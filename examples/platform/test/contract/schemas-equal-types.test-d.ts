import type { components } from "@offers/contract/openapi";
import type * as schemas from "@offers/contract/schemas";
import { expectTypeOf, test } from "vitest";
import type * as z from "zod";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** Removes the index signature of an open object, makes optional fields match JSON, and turns an open enum into a string. */
type Plain<T> = [T] extends [string]
  ? [string & {}] extends [T]
    ? string
    : T
  : T extends readonly (infer Entry)[]
    ? Plain<Entry>[]
    : T extends object
      ? { [K in keyof T as string extends K ? never : K]: Plain<Exclude<T[K], undefined>> }
      : T;

/** Makes every field required, to reveal optional fields that only one side has. */
type Full<T> = T extends readonly (infer Entry)[]
  ? Full<Entry>[]
  : T extends object
    ? { [K in keyof T]-?: Full<T[K]> }
    : T;

type Components = components["schemas"];
type SchemaOf<Name extends string> = Plain<
  z.output<(typeof schemas)[`${Uncapitalize<Name>}Schema` & keyof typeof schemas]>
>;
type Unequal = {
  [Name in keyof Components]: [
    Same<Plain<Components[Name]>, SchemaOf<Name>>,
    Same<Full<Plain<Components[Name]>>, Full<SchemaOf<Name>>>,
  ] extends [true, true]
    ? never
    : Name;
}[keyof Components];

test("each component's zod schema matches its type in the contract", () => {
  // The compiler's message names the unequal components.
  expectTypeOf<Unequal>().toBeNever();
});
