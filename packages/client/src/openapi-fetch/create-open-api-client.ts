import createClient from "openapi-fetch";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import { refusal } from "../errors/refusal.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { Operation } from "../operation.ts";
import { completeOffer } from "../operations/complete-offer.ts";
import { createOffer } from "../operations/create-offer.ts";
import { getOffer } from "../operations/get-offer.ts";
import { withdrawOffer } from "../operations/withdraw-offer.ts";
import type { CallOptions, OffersClientOptions } from "../options.ts";
import { showCallPlace } from "../pipeline/call-place.ts";
import { redacted } from "../pipeline/redact.ts";
import { toFailure } from "../pipeline/to-failure.ts";
import { createTransport } from "../pipeline/transport.ts";
import { callOptionsOf } from "./call-options-of.ts";
import type { OpenApiClient } from "./open-api-client.ts";
import { toResponse } from "./to-response.ts";

const operations: Operation<never, unknown>[] = [createOffer, getOffer, completeOffer, withdrawOffer];
type Init = CallOptions & { params?: { path?: { id?: unknown } } };
type Ask = (method: string, path: string, init?: Init & { fetch?: Send }) => Promise<{ response: Response }>;
type Send = (request: Request) => Promise<Response>;

/**
 * An openapi-fetch client, typed by the contract, whose requests are made by this package's transport: with its key, deadlines,
 * retries and refusals. `{ data, error, response }` as ever, but `error` is an `AnyOffersError` and is there after every
 * failure, also one without an answer; nothing is thrown. `response` then has the status alone (0 without an answer), for the
 * rest is on the error. The options of a call (`timeoutMs`, `maxRetries`, …) stand beside `params`.
 *
 * `baseUrl`, `fetch`, `redirect` and `api-version` of a single call change nothing: those of `options` hold (D-66).
 *
 * @throws {UsageError} for an option that cannot be right; the message says what to change
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
  const requestFrom = async (place: Error, method: string, path: string, init: Init = {}) => {
    const operation = operations.find((known) => known.method === method.toUpperCase() && known.path === path);
    let own: AnyOffersError | undefined;
    const send: Send = async (request) => {
      try {
        if (!operation) throw refusal("invalid_argument", `the contract has no operation ${method} ${path}`);
        const { "idempotency-key": idempotencyKey, ...headers } = Object.fromEntries(request.headers);
        const call = { ...callOptionsOf(init), headers, ...(idempotencyKey && { idempotencyKey }) };
        return toResponse(await transport(operation, init.params?.path?.id, await readBody(request), call));
      } catch (thrown) {
        own = thrown as AnyOffersError;
        throw thrown;
      }
    };
    try {
      // Without the signal, on which openapi-fetch would leave a listener.
      return await ask(method, path, { ...init, signal: undefined, fetch: send });
    } catch (thrown) {
      const error = thrown === own && own ? own : toFailure(thrown, redacted, UsageError, "invalid_argument");
      if (operation && !error.operation)
        Object.assign(error, { operation: operation.name, message: `${operation.name}: ${error.message}` });
      showCallPlace(error, place);
      const { status = 0 } = error;
      return { error, response: status > 199 && status < 600 ? new Response(null, { status }) : Response.error() };
    }
  };
  const request: Ask = (...given) => requestFrom(new Error(), ...given) as ReturnType<Ask>;
  const via = (method: string) => (path: string, init?: Init) => requestFrom(new Error(), method, path, init);
  return { request, GET: via("GET"), POST: via("POST"), use, eject } as never as OpenApiClient;
}

async function readBody(request: Request): Promise<never> {
  const text = await request.text();
  try {
    return (text ? JSON.parse(text) : undefined) as never;
  } catch {
    // Not what was thrown: it quotes the body (D-49).
    throw refusal("invalid_argument", "the body must be JSON; give no bodySerializer that writes anything else");
  }
}
