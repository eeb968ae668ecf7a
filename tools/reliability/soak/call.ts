import { isOffersError, type OffersClient } from "@offers/client";
import { endsOf, faultFor, seededRandom } from "./faults.ts";

const operations = ["create", "get", "complete", "withdraw"] as const;

/** How a call ended, and what is wrong with that, if anything. */
export interface End {
  /** "data", or the error's code. */
  outcome: string;
  fault?: string;
}

/** One call, whose arguments the seed and its number decide. */
export async function makeCall(offers: OffersClient, seed: number, number: number, shared: AbortSignal): Promise<End> {
  const chance = (what: number) => seededRandom(seed, number, 0, what);
  // Reads most of all, as in life.
  const operation = operations[Math.floor(chance(1) * 6)] ?? "get";
  const own = chance(2) < 0.03 ? new AbortController() : undefined;
  const timer = own && setTimeout(() => own.abort(), chance(3) * 300);
  const options = { signal: own?.signal ?? shared, headers: { "x-call": `${number}` } };
  const call = {
    create: () =>
      offers.createOffer({ createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] }, options),
    get: () => offers.getOffer("offer_1", options),
    complete: () => offers.completeOffer("offer_1", ["worker_amal"], options),
    withdraw: () => offers.withdrawOffer("offer_1", options),
  }[operation]();
  // One of the ways to read the outcome of a call; the others stay unread.
  const looks: (() => Promise<{ attempts: number }>)[] = [
    () => call.withResponse(),
    () => call.safe().then((result) => (result.ok ? result : Promise.reject(result.error))),
    async () => {
      await call;
      return call.withResponse();
    },
  ];
  let outcome: string;
  let attempts: number;
  try {
    ({ attempts } = await (looks[Math.floor(chance(4) * looks.length)] ?? call.withResponse)());
    outcome = "data";
  } catch (error) {
    if (!isOffersError(error)) return { outcome: "not ours", fault: `call ${number} rejected with ${error}` };
    ({ code: outcome, attempts } = error);
    if (`${error.message} ${error.stack} ${error.cause}`.includes("key-of")) return { outcome, fault: "shows its key" };
  } finally {
    clearTimeout(timer);
  }
  const fault = faultFor(seed, number, attempts);
  const mayEnd = [endsOf(fault, operation), ...(own ? ["aborted"] : [])];
  // On a busy machine a timeout may come first, of one attempt or of the whole call.
  if (mayEnd.includes(outcome) || outcome === "timeout") return { outcome };
  return { outcome, fault: `call ${number}, ${operation}, ${attempts} attempts, met "${fault}": ${outcome}` };
}
