import type { AnyOffersError, OffersClientOptions } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { type DriverOptions, keys, type OffersDriver, type Outcome } from "./fixture.ts";

/** Creates a driver that calls the operations through `/openapi-fetch`. */
export function createOpenApiFetchDriver({
  baseUrl,
  fetch,
}: Pick<OffersClientOptions, "baseUrl" | "fetch">): OffersDriver {
  const createClient = ({ apiKey = keys.harbour }: DriverOptions = {}) =>
    createOpenApiClient({ baseUrl, fetch, apiKey, maxRetries: 0 });
  const toHeader = ({ idempotencyKey }: DriverOptions = {}) =>
    idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
  return {
    async create(input, call) {
      const body = JSON.parse(JSON.stringify(input));
      return toOutcome(await createClient(call).POST("/offer", { params: { header: toHeader(call) }, body }));
    },
    read: async (id, call) => toOutcome(await createClient(call).GET("/offer/{id}", { params: { path: { id } } })),
    async complete(id, workerIds, call) {
      const params = { path: { id }, query: { "api-version": "1.0" as const }, header: toHeader(call) };
      return toOutcome(await createClient(call).POST("/offer/{id}/complete", { params, body: workerIds }));
    },
    withdraw: async (id, call) =>
      toOutcome(await createClient(call).GET("/offer/{id}/withdraw", { params: { path: { id } } })),
  };
}

function toOutcome<Data>({
  data,
  error,
}: {
  data?: Data | undefined;
  error?: AnyOffersError | undefined;
}): Outcome<Data> {
  if (error === undefined) return { ok: true, data: data as Data };
  const { status, problem } = error;
  return { ok: false, status, code: problem?.code, fields: Object.keys(problem?.errors ?? {}).sort() };
}
