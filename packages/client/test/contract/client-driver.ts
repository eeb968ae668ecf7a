import { OffersClient, type OffersClientOptions, type SafeResult } from "../../src/index.ts";
import { type DriverOptions, keys, type OffersDriver, type Outcome } from "./fixture.ts";

/** The operations through `OffersClient`. */
export function clientDriver({ baseUrl, fetch }: Pick<OffersClientOptions, "baseUrl" | "fetch">): OffersDriver {
  const clientFor = ({ apiKey = keys.harbour }: DriverOptions = {}) =>
    new OffersClient({ baseUrl, fetch, apiKey, maxRetries: 0 });
  return {
    create: async (input, call) => outcomeOf(await clientFor(call).createOffer(input, optionsOf(call)).safe()),
    read: async (id, call) => outcomeOf(await clientFor(call).getOffer(id).safe()),
    complete: async (id, workerIds, call) =>
      outcomeOf(await clientFor(call).completeOffer(id, workerIds, optionsOf(call)).safe()),
    withdraw: async (id, call) => outcomeOf(await clientFor(call).withdrawOffer(id).safe()),
  };
}

const optionsOf = ({ idempotencyKey }: DriverOptions = {}) => ({ idempotencyKey });

function outcomeOf<Data>(result: SafeResult<Data>): Outcome<Data> {
  if (result.ok) return { ok: true, data: result.data };
  const { status, problem } = result.error;
  return { ok: false, status, code: problem?.code, fields: Object.keys(problem?.errors ?? {}).sort() };
}
