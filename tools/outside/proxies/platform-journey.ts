import { OffersClient } from "@offers/client";

const apiKey = "demo-key-harbour";

/**
 * What organisations and workers do: an offer from its creation to its withdrawal, the notification stream, the feed of events, and the
 * limit of wrong keys.
 *
 * @param address of the proxy
 * @param direct of the platform itself
 * @returns a line for each thing that went wrong
 */
export async function playJourney(address: string, direct: string): Promise<string[]> {
  const found: string[] = [];
  const expect = (what: string, holds: boolean): void => void (holds || found.push(what));
  const client = new OffersClient({ baseUrl: address, apiKey });

  const token = await signInWorker(address);
  const stream = await openStream(address, token);
  const { id } = await client.createOffer({
    createdByUserId: "user_hana",
    title: "Köche 漢字😀",
    details: "x".repeat(2_000),
    workerIds: ["worker_amal"],
  });
  const waitedMs = await stream.waitFor(id);
  expect(`the notification came after ${waitedMs} ms`, waitedMs < 5_000);
  stream.close();

  const applied = await fetch(`${address}/worker-app/offers/${id}/apply`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  expect(`applying got ${applied.status}`, applied.ok);
  const offer = await client.getOffer(id);
  expect(`the offer reads ${JSON.stringify(offer)}`, offer.title === "Köche 漢字😀" && offer.recipients.length === 1);

  const feed = await fetch(`${address}/events?limit=100`, { headers: { "x-ue-api-subscription-key": apiKey } });
  const { events } = (await feed.json()) as { events: { data: { offerId?: string } }[] };
  expect(
    "the event of the response is not in the feed",
    events.some(({ data }) => data.offerId === id),
  );
  await client.completeOffer(id, ["worker_amal"]);
  expect("the offer is not complete", (await client.getOffer(id)).complete);

  if (address === direct) return found;
  // 60 a minute are allowed for each network (D-54), whatever `X-Forwarded-For` a caller invents.
  const statuses = new Set<number>();
  for (let caller = 0; caller < 70; caller++) {
    const headers = {
      "x-ue-api-subscription-key": "wrong",
      "x-forwarded-for": `203.0.113.${caller}`,
      forwarded: "for=192.0.2.1",
    };
    const response = await fetch(`${address}/offer/${id}`, { headers });
    await response.arrayBuffer();
    statuses.add(response.status);
  }
  expect(
    `wrong keys got ${[...statuses]}`,
    statuses.has(429) && [...statuses].every((each) => each === 401 || each === 429),
  );
  expect("a valid key is limited by wrong ones", (await client.getOffer(id)).id === id);
  return found;
}

async function signInWorker(address: string): Promise<string> {
  const response = await fetch(`${address}/worker-app/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ workerId: "worker_amal", password: "demo-password" }),
  });
  return ((await response.json()) as { token: string }).token;
}

/** Opens the stream of notifications (server-sent events). */
async function openStream(address: string, token: string) {
  const closing = new AbortController();
  const response = await fetch(`${address}/worker-app/notifications/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: closing.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  return {
    /** @returns how long it took until this text came; a minute when it did not */
    async waitFor(text: string): Promise<number> {
      const startedAt = performance.now();
      const overdue = setTimeout(() => closing.abort(), 60_000);
      let received = "";
      while (!received.includes(text)) {
        const { done, value } = (await reader?.read().catch(() => undefined)) ?? { done: true };
        if (done) return 60_000;
        received += value;
      }
      clearTimeout(overdue);
      return Math.round(performance.now() - startedAt);
    },
    close: () => closing.abort(),
  };
}
