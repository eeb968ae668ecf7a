import { isOffersError } from "../errors/offers-failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { operations } from "../generated/openapi.ts";
import type { Operation } from "../operation.ts";
import type { CallOptions } from "../options.ts";
import { headerName, printable } from "./printable.ts";
import { type Limits, readLimits, type Settings } from "./settings.ts";
import { fillPath } from "./url.ts";

type CreationHeader = keyof NonNullable<operations["CreateOffer"]["parameters"]["header"]>;

/** What is the same on every attempt of a call. */
export interface Prepared {
  readonly url: string;
  /** All but the API key. Names in lower case, so that the client's own replace a caller's of the same name. */
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly limits: Limits;
}

/** @throws {UsageError} for anything that cannot become a request */
export function prepare<Argument>(
  operation: Operation<Argument, unknown>,
  id: unknown,
  argument: Argument,
  call: CallOptions,
  settings: Settings,
): Prepared {
  try {
    const url = settings.baseUrl + fillPath(operation.path, id) + settings.query;
    const limits = readLimits(call, settings);
    const headers: Record<string, string> = { accept: "application/json", "user-agent": settings.userAgent };
    for (const name in call.headers) headers[headerName("headers", name)] = printable(name, call.headers[name]);
    if (operation.method === "GET") return { url, headers, body: null, limits };
    headers["content-type"] = "application/json";
    // D-40: one per call, the same on every attempt.
    headers[("Idempotency-Key" satisfies CreationHeader).toLowerCase()] = printable(
      "idempotencyKey",
      call.idempotencyKey ?? crypto.randomUUID(),
    );
    return { url, headers, body: JSON.stringify(operation.encode(argument)), limits };
  } catch (cause) {
    if (isOffersError(cause)) throw cause;
    throw new UsageError("invalid_argument", "An argument cannot be written as a request; see cause", { cause });
  }
}
