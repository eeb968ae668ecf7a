// A user's program for the client.
import { isOffersError, type OfferInput, OffersClient, RateLimitError, type Recipient } from "@offers/client";

export const offers = new OffersClient({
  baseUrl: "https://service.example",
  apiKey: async ({ refresh }) => (refresh ? "fresh" : "stale"),
  timeoutMs: 5_000,
  middleware: [(request, next) => next({ ...request, headers: { ...request.headers, "x-team": "staffing" } })],
  logger: { debug: () => {}, warn: (fields, message) => void [fields, message] },
  onRetry: ({ error, delayMs }) => void [error.code, delayMs],
});

export async function runOfferLifecycle(id: string): Promise<string> {
  const input: OfferInput = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal"] };
  const created = await offers.createOffer({ ...input, events: [{ start: new Date(), end: "2099-05-01T22:00:00Z" }] });
  const { data, response } = await offers.getOffer(created.id, { maxRetries: 0 }).withResponse();
  const applied: Recipient[] = data.recipients.filter(({ response }) => response === "applied");
  await offers.completeOffer(
    id,
    applied.map(({ workerId }) => workerId),
  );
  for await (const { name } of offers.watchOffer(id, { pollIntervalMs: 1_000 })) if (name) break;
  const result = await offers.withApiKey("another").withdrawOffer(id).safe();
  if (result.ok) return response.headers.get("etag") ?? "";
  if (result.error.status === 404) return result.error.name satisfies "NotFoundError";
  return result.error instanceof RateLimitError ? String(result.error.retryAfterMs) : result.error.code;
}

export const explain = (error: unknown): string => (isOffersError(error) ? error.message : "unknown");
