// Checked by tsc: a test fails if it does not compile, for instance after a change to spec/openapi.yaml that the public types do not
// follow.

import type { components, operations } from "@offers/contract/openapi";
import { expectTypeOf, test } from "vitest";
import type { OperationName } from "../../src/http.ts";
import type {
  AnyOffersError,
  AuthenticationError,
  ConflictError,
  Fetch,
  NotFoundError,
  Offer,
  OfferInput,
  OffersClient,
  OperationError,
  Problem,
  RateLimitError,
  Recipient,
} from "../../src/index.ts";
import { isOperationError } from "../../src/index.ts";
import type { TestService } from "../../src/testing.ts";

type Schemas = components["schemas"];

test("received data has the contract's types", () => {
  // The one exception: a number has no empty value, so an absent id is undefined (D-126).
  expectTypeOf<Omit<Offer, "recipients">>().toEqualTypeOf<Omit<Schemas["Offer"], "recipients">>();
  expectTypeOf<Recipient["id"]>().toEqualTypeOf<Schemas["Recipient"]["id"] | undefined>();
  expectTypeOf<Offer["events"][number]>().toEqualTypeOf<Schemas["OfferEvent"]>();
  expectTypeOf<Omit<Recipient, "id">>().toEqualTypeOf<Omit<Schemas["Recipient"], "id">>();
  expectTypeOf<Awaited<ReturnType<OffersClient["createOffer"]>>>().toEqualTypeOf<Schemas["CreatedOffer"]>();
  expectTypeOf<Schemas["Problem"]>().toExtend<Problem>();
  expectTypeOf<keyof Schemas["Problem"]>().toExtend<keyof Problem>();
  type Suggested = Awaited<ReturnType<TestService["suggestContacts"]>>;
  expectTypeOf<Suggested>().toEqualTypeOf<Schemas["ContactSuggestions"]>();
});

test("sent data has the contract's fields, with times as Date or string", () => {
  // An optional field may also be undefined; workerIds and events may be read-only.
  type Sent = { [Name in keyof Schemas["OfferCreation"]]: Schemas["OfferCreation"][Name] | Undefined<Name> };
  type Undefined<Name extends keyof Schemas["OfferCreation"]> =
    Record<never, never> extends Pick<Schemas["OfferCreation"], Name> ? undefined : never;
  type Replaced = "workerIds" | "events";
  expectTypeOf<Omit<OfferInput, Replaced>>().toEqualTypeOf<Omit<Sent, Replaced>>();
  expectTypeOf<keyof OfferInput>().toEqualTypeOf<keyof Sent>();
  expectTypeOf<OfferInput["workerIds"]>().toEqualTypeOf<Readonly<Sent["workerIds"]>>();
  expectTypeOf<Sent["events"]>().toExtend<OfferInput["events"]>();
  expectTypeOf<NonNullable<OfferInput["events"]>[number]>().toEqualTypeOf<
    Record<keyof Schemas["OfferEvent"], Date | string>
  >();
});

test("every operation name is in the contract, and worker ids have the contract's type", () => {
  expectTypeOf<OperationName>().toExtend<keyof operations>();
  expectTypeOf<Parameters<OffersClient["completeOffer"]>[1]>().toEqualTypeOf<Readonly<Schemas["AssignedWorkerIds"]>>();
});

test("a failure narrows on its status and on its code", () => {
  const narrowError = (error: AnyOffersError) => {
    if (error.status === 401) expectTypeOf(error).toEqualTypeOf<AuthenticationError>();
    else if (error.status === 404) expectTypeOf(error).toEqualTypeOf<NotFoundError>();
    else if (error.status === 409) expectTypeOf(error).toEqualTypeOf<ConflictError>();
    else if (error.code === "rate_limited") expectTypeOf(error).toEqualTypeOf<RateLimitError>();
  };
  expectTypeOf(narrowError).returns.toBeVoid();
});

test("safe returns data or an error, never both", async () => {
  const inspectResult = async (client: OffersClient) => {
    const result = await client.getOffer("a").safe();
    if (result.ok) expectTypeOf(result.data).toEqualTypeOf<Offer>();
    else expectTypeOf(result.error).toEqualTypeOf<OperationError<"GetOffer">>();
    // @ts-expect-error only a result that is ok has data
    result.data;
    // @ts-expect-error an event needs an end
    void client.createOffer({ createdByUserId: "u", title: "t", workerIds: [], events: [{ start: "" }] });
    // @ts-expect-error a misspelt field is rejected
    void client.createOffer({ createdByUserId: "u", title: "t", workerIds: [], detials: "" });
  };
  expectTypeOf(inspectResult).returns.resolves.toBeVoid();
});

test("a switch over an operation's codes that misses a case does not compile [D-143]", () => {
  const handle = (error: OperationError<"CompleteOffer">): string => {
    switch (error.code) {
      case "conflict":
        return error.name satisfies "ConflictError";
      case "bad_request":
      case "unauthenticated":
      case "api_key_provider_failed":
      case "forbidden":
      case "not_found":
      case "rate_limited":
      case "server_error":
      case "invalid_response":
      case "response_too_large":
      case "unexpected_redirect":
      case "connect_failed":
      case "connection_lost":
      case "tls_failed":
      case "port_blocked":
      case "timeout":
      case "aborted":
      case "invalid_api_key":
      case "invalid_option":
      case "invalid_id":
      case "invalid_argument":
        return error.message;
      case "middleware_failed":
        return error.name satisfies "UsageError";
      default: {
        // A newer service may cause other codes, but at run time the error is still an OffersError.
        const unknown: never = error;
        throw unknown;
      }
    }
  };
  const handleOnlyConflict = (error: OperationError<"CompleteOffer">): string => {
    if (error.code === "conflict") return "too late";
    // @ts-expect-error the other codes have no case
    const unknown: never = error;
    throw unknown;
  };
  expectTypeOf(handle).returns.toBeString();
  expectTypeOf(handleOnlyConflict).returns.toBeString();
});

test("each operation has its own errors [D-143]", () => {
  expectTypeOf<Extract<OperationError<"CompleteOffer">, ConflictError>>().toEqualTypeOf<ConflictError>();
  expectTypeOf<Extract<OperationError<"GetOffer">, ConflictError>>().toBeNever();
  expectTypeOf<Extract<OperationError<"CreateOffer">["code"], "invalid_id" | "invalid_base_url">>().toBeNever();
  expectTypeOf<OperationError<"CreateOffer">>().toExtend<AnyOffersError>();
  const guard = (error: unknown) => {
    if (isOperationError(error, "GetOffer")) expectTypeOf(error).toEqualTypeOf<OperationError<"GetOffer">>();
  };
  expectTypeOf(guard).returns.toBeVoid();
});

test("the runtime's fetch is assignable to Fetch", () => {
  expectTypeOf<typeof globalThis.fetch>().toExtend<Fetch>();
});
