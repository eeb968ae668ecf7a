import { OffersClient, type OffersClientOptions, type SafeResult } from "../../src/index.ts";
import { type FaceCall, keys, type OffersFace, type Outcome } from "./stage.ts";

/** The operations through `OffersClient`. */
export function clientFace({ baseUrl, fetch }: Pick<OffersClientOptions, "baseUrl" | "fetch">): OffersFace {
  const clientFor = ({ apiKey = keys.harbour }: FaceCall = {}) =>
    new OffersClient({ baseUrl, fetch, apiKey, maxRetries: 0 });
  return {
    create: async (input, call) => outcomeOf(await clientFor(call).createOffer(input, optionsOf(call)).safe()),
    read: async (id, call) => outcomeOf(await clientFor(call).getOffer(id).safe()),
    complete: async (id, workerIds, call) =>
      outcomeOf(await clientFor(call).completeOffer(id, workerIds, optionsOf(call)).safe()),
    withdraw: async (id, call) => outcomeOf(await clientFor(call).withdrawOffer(id).safe()),
  };
}

const optionsOf = ({ idempotencyKey }: FaceCall = {}) => ({ idempotencyKey });

function outcomeOf<Data>(result: SafeResult<Data>): Outcome<Data> {
  if (result.ok) return { ok: true, data: result.data };
  const { status, problem } = result.error;
  return { ok: false, status, code: problem?.code, fields: Object.keys(problem?.errors ?? {}).sort() };
}
