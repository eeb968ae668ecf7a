import type { operations as contract, paths } from "@offers/contract/openapi";
import { assertEach, assertType } from "../errors/usage.ts";
import { offerShape } from "../generated/offer-shape.ts";
import type { OperationName } from "../http.ts";
import type { Offer, OfferInput } from "../offer.ts";
import { type ReportShape, readFields } from "./read-offer.ts";
import { toUtc } from "./to-utc.ts";

/** The name, method and path of one operation in spec/openapi.yaml; any other combination is a type error. */
type Route<Path extends keyof paths = keyof paths> = {
  [P in Path]: {
    [N in OperationName]:
      | (paths[P]["get"] extends contract[N] ? { name: N; method: "GET"; path: P } : never)
      | (paths[P]["post"] extends contract[N] ? { name: N; method: "POST"; path: P } : never);
  }[OperationName];
}[Path];

/**
 * The definition of an operation. Every GET may be retried, even a withdrawal (D-10). D-40 defines when a POST may be
 * retried.
 */
export type Operation<Argument, Data, Name extends OperationName = OperationName> = Readonly<
  Extract<Route, { name: Name }>
> & {
  /** A success status that means that the offer does not exist (D-20). */
  readonly absentStatus?: 204;
  /** Returns the JSON body of a POST. Throws for an argument of the wrong type. */
  readonly encode?: (argument: Argument) => unknown;
  /**
   * Parses the body of a successful response, or throws. The user sees the error's message only if this package created the error (D-49).
   */
  decode(text: string, report: ReportShape): Data;
};

export const createOffer: Operation<OfferInput, { id: string }, "CreateOffer"> = {
  name: "CreateOffer",
  method: "POST",
  path: "/offer",
  encode(input) {
    assertType("input", input, "Object", "invalid_argument");
    const { events } = input;
    assertEach("events", events ?? [], "Object", "invalid_argument");
    return {
      ...input,
      events: events?.map(({ start, end }, index) => ({
        start: toUtc(start, "start", index),
        end: toUtc(end, "end", index),
      })),
    };
  },
  decode: (text, report) => ({ id: readCreatedId(text.trim(), report) }),
};

export const getOffer: Operation<undefined, Offer, "GetOffer"> = {
  name: "GetOffer",
  method: "GET",
  path: "/offer/{id}",
  absentStatus: 204,
  decode: (text, report) => readFields(JSON.parse(text), offerShape, report) as unknown as Offer,
};

export const completeOffer: Operation<readonly string[], void, "CompleteOffer"> = {
  name: "CompleteOffer",
  method: "POST",
  path: "/offer/{id}/complete",
  encode(workerIds) {
    assertEach("workerIds", workerIds, "string", "invalid_argument");
    return workerIds;
  },
  decode: rejectMarkup,
};

/** A GET that changes state. Withdrawing twice returns the same response, so it may be retried (D-10). */
export const withdrawOffer: Operation<undefined, void, "WithdrawOffer"> = {
  name: "WithdrawOffer",
  method: "GET",
  path: "/offer/{id}/withdraw",
  decode: rejectMarkup,
};

/** Accepts any body (D-03, D-10) except markup, because a proxy's sign-in page must not count as success. */
function rejectMarkup(text: string): void {
  if (/^\s*</.test(text)) throw new SyntaxError("markup");
}

/** Reads the id from a JSON object, a JSON string or plain text (D-02). A bare number is used as written. */
function readCreatedId(text: string, report: ReportShape): string {
  if (/^(?!null$)[^\s<{["]+$/.test(text)) return text;
  const body = JSON.parse(text);
  return typeof body === "string" && body ? body : (readFields(body, { id: "id" }, report).id as string);
}

/** Every operation, for lookup by name or path. */
export const operations: readonly Operation<never, unknown>[] = [createOffer, getOffer, completeOffer, withdrawOffer];
