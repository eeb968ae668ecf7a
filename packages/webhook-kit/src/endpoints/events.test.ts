import type { components, operations } from "@offers/contract/openapi";
import type * as schemas from "@offers/contract/schemas";
import { expect, test } from "vitest";
import type * as z from "zod";
import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  Rating,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "./events.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Removes an open object's index signature and undefined from optional fields, and turns an open enum into a string. */
type Plain<T> = [T] extends [string]
  ? [string & {}] extends [T]
    ? string
    : T
  : T extends readonly (infer Entry)[]
    ? Plain<Entry>[]
    : T extends object
      ? { [K in keyof T as string extends K ? never : K]: Plain<Exclude<T[K], undefined>> }
      : T;

type Wire<Name extends keyof components["schemas"]> = Plain<components["schemas"][Name]>;
type Schema<Name extends keyof typeof schemas> = Plain<z.output<(typeof schemas)[Name]>>;
/** Handlers may also return a Date, which is converted before the response is checked. */
type OnWire<T> = Plain<{ [K in keyof T]: Date extends T[K] ? Exclude<T[K], Date> : T[K] }>;

const typeChecks: [
  Equal<Plain<WorkerOfferResponse>, Wire<"WorkerOfferResponse">>,
  Equal<Plain<OfferEventDeleted>, Wire<"OfferEventDeleted">>,
  Equal<Plain<TimelineChanged>, Wire<"TimelineChanged">>,
  Equal<Plain<ContactSuggestionRequest>, Wire<"ContactSuggestionRequest">>,
  Equal<OnWire<Rating>, Wire<"Rating">>,
  Equal<Plain<Omit<ContactSuggestion, "ratings">>, Plain<Omit<components["schemas"]["ContactSuggestion"], "ratings">>>,
  Equal<ContactSuggestion["ratings"], Rating[]>,
  Equal<Plain<WorkerAddedContact>, Plain<operations["WorkerAddedContact"]["parameters"]["path"]>>,
  Equal<Schema<"workerOfferResponseSchema">, Wire<"WorkerOfferResponse">>,
  Equal<Schema<"offerEventDeletedSchema">, Wire<"OfferEventDeleted">>,
  Equal<Schema<"timelineChangedSchema">, Wire<"TimelineChanged">>,
  Equal<Schema<"contactSuggestionRequestSchema">, Wire<"ContactSuggestionRequest">>,
  Equal<Schema<"contactSuggestionsSchema">, Wire<"ContactSuggestions">>,
  Equal<Schema<"ratingSchema">, Wire<"Rating">>,
  Equal<WorkerOfferResponse["response"], components["schemas"]["WorkerOfferResponse"]["response"]>,
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true];

// The compiler checks the types. This test exists because the tuple must be used.
test("the exported types, the contract's types and the schemas' types are the same", () =>
  expect(typeChecks).not.toContain(false));
