import createClient from "openapi-fetch";
import { annotateError } from "../call/annotate-error.ts";
import { createTransport } from "../call/create-transport.ts";
import { showCallSite } from "../call/show-call-site.ts";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import { createUsageError } from "../errors/create-usage-error.ts";
import { isUnannotated } from "../errors/is-unannotated.ts";
import { redacted } from "../errors/redact.ts";
import { toOffersError } from "../errors/to-offers-error.ts";
import { UsageError } from "../errors/usage-error.ts";
import { completeOffer } from "../operations/complete-offer.ts";
import { createOffer } from "../operations/create-offer.ts";
import { getOffer } from "../operations/get-offer.ts";
import type { Operation } from "../operations/operation.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import type { CallOptions, OffersClientOptions } from "../options/options.ts";
import { callOptionsOf } from "./call-options-of.ts";
import type { OpenApiClient } from "./open-api-client.ts";
import { toResponse } from "./to-response.ts";

const operations: Operation<never, unknown>[] = [createOffer, getOffer, completeOffer, withdrawOffer];
type RawInit = CallOptions & { params?: { path?: { id?: unknown } } };
type Ask = (method: string, path: string, init?: RawInit & { fetch?: SendRequest }) => Promise<{ response: Response }>;
type SendRequest = (request: Request) => Promise<Response>;

/**
 * An openapi-fetch client, typed by the contract, whose requests use this package's transport: its key, deadlines, retries
 * and checks. Every failure, also one without a response, is returned as `error`, an `AnyOffersError`; nothing is thrown.
 * `response` then has the status only (0 without a response); the rest is on the error. Call options (`timeoutMs`,
 * `maxRetries`, …) go beside `params`.
 *
 * `baseUrl`, `fetch`, `redirect` and `api-version` of a single call have no effect: those of `options` apply (D-66).
 *
 * @throws {UsageError} for an invalid option; the message says what to change
 * @example
 * ```ts
 * import { createOpenApiClient } from "@offers/client/openapi-fetch";
 *
 * const api = createOpenApiClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
 * const { data, error } = await api.GET("/offer/{id}", { params: { path: { id: "offer_4f1c2a" } }, timeoutMs: 2_000 });
 * if (error) console.error(error.status === 404 ? "no such offer" : error.message);
 * else console.log(data.title);
 * ```
 */
export function createOpenApiClient(options: OffersClientOptions): OpenApiClient {
  const transport = createTransport(options);
  const { use, eject, ...client } = createClient({ baseUrl: String(options.baseUrl) });
  const ask = client.request as never as Ask;
  const requestFrom = async (callSite: Error, method: string, path: string, init: RawInit = {}) => {
    const operation = operations.find((known) => known.method === method.toUpperCase() && known.path === path);
    let failure: unknown;
    const send: SendRequest = async (request) => {
      if (!operation) throw createUsageError("invalid_argument", `the contract has no operation ${method} ${path}`);
      const { "idempotency-key": idempotencyKey, ...headers } = Object.fromEntries(request.headers);
      const callOptions = { ...callOptionsOf(init), headers, ...(idempotencyKey && { idempotencyKey }) };
      const body = await readJson(request);
      const result = transport(operation, init.params?.path?.id, body, callOptions, callSite);
      return toResponse(
        await result.catch((error: AnyOffersError) => {
          failure = error;
          throw error;
        }),
      );
    };
    try {
      // Without the signal, on which openapi-fetch would leave a listener.
      return await ask(method, path, { ...init, signal: undefined, fetch: send });
    } catch (thrown) {
      const error = failure && thrown === failure ? (thrown as AnyOffersError) : wrap(thrown, operation, callSite);
      const { status = 0 } = error;
      return { error, response: status > 199 && status < 600 ? new Response(null, { status }) : Response.error() };
    }
  };
  const request: Ask = (...given) => requestFrom(new Error(), ...given) as ReturnType<Ask>;
  const via = (method: string) => (path: string, init?: RawInit) => requestFrom(new Error(), method, path, init);
  return { request, GET: via("GET"), POST: via("POST"), use, eject } as never as OpenApiClient;
}

/** What no call has reported: a mistake in the arguments, or what openapi-fetch, a serializer or its middleware threw. */
function wrap(thrown: unknown, operation: Operation<never, unknown> | undefined, callSite: Error): AnyOffersError {
  const error = isUnannotated(thrown) ? thrown : toOffersError(thrown, redacted, UsageError, "invalid_argument");
  if (operation) return annotateError(error, { operation: operation.name, attempts: 0, callSite });
  showCallSite(error, callSite);
  return error;
}

async function readJson(request: Request): Promise<never> {
  const text = await request.text();
  try {
    return (text ? JSON.parse(text) : undefined) as never;
  } catch {
    // The thrown error quotes the body (D-49).
    throw createUsageError(
      "invalid_argument",
      "the body must be JSON; give no bodySerializer that writes anything else",
    );
  }
}
