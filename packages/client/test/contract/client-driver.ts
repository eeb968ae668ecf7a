import { OffersClient, type OffersClientOptions, type SafeResult } from "../../src/index.ts";
import { type DriverOptions, keys, type OffersDriver, type Outcome } from "./fixture.ts";

/** Creates a driver that calls the operations through `OffersClient`. */
export function createClientDriver({ baseUrl, fetch }: Pick<OffersClientOptions, "baseUrl" | "fetch">): OffersDriver {
  const createClient = ({ apiKey = keys.harbour }: DriverOptions = {}) =>
    new OffersClient({ baseUrl, fetch, apiKey, maxRetries: 0 });
  return {
    create: async (input, call) => toOutcome(await createClient(call).createOffer(input, toCallOptions(call)).safe()),
    read: async (id, call) => toOutcome(await createClient(call).getOffer(id).safe()),
    complete: async (id, workerIds, call) =>
      toOutcome(await createClient(call).completeOffer(id, workerIds, toCallOptions(call)).safe()),
    withdraw: async (id, call) => toOutcome(await createClient(call).withdrawOffer(id).safe()),
  };
}

const toCallOptions = ({ idempotencyKey }: DriverOptions = {}) => ({ idempotencyKey });

function toOutcome<Data>(result: SafeResult<Data>): Outcome<Data> {
  if (result.ok) return { ok: true, data: result.data };
  const { status, problem } = result.error;
  return { ok: false, status, code: problem?.code, fields: Object.keys(problem?.errors ?? {}).sort() };
}
