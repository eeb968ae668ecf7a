import type { AnyOffersError, OffersClientOptions } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { type DriverOptions, keys, type OffersDriver, type Outcome } from "./fixture.ts";

/** The operations through `/openapi-fetch`. */
export function openApiFetchDriver({ baseUrl, fetch }: Pick<OffersClientOptions, "baseUrl" | "fetch">): OffersDriver {
  const clientFor = ({ apiKey = keys.harbour }: DriverOptions = {}) =>
    createOpenApiClient({ baseUrl, fetch, apiKey, maxRetries: 0 });
  const headerOf = ({ idempotencyKey }: DriverOptions = {}) =>
    idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey };
  return {
    async create(input, call) {
      const body = JSON.parse(JSON.stringify(input));
      return outcomeOf(await clientFor(call).POST("/offer", { params: { header: headerOf(call) }, body }));
    },
    read: async (id, call) => outcomeOf(await clientFor(call).GET("/offer/{id}", { params: { path: { id } } })),
    async complete(id, workerIds, call) {
      const params = { path: { id }, query: { "api-version": "1.0" as const }, header: headerOf(call) };
      return outcomeOf(await clientFor(call).POST("/offer/{id}/complete", { params, body: workerIds }));
    },
    withdraw: async (id, call) =>
      outcomeOf(await clientFor(call).GET("/offer/{id}/withdraw", { params: { path: { id } } })),
  };
}

function outcomeOf<Data>({
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
