import { OffersClient } from "../../src/index.ts";
import { createTestService, type TestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";

export const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

/** Returns a readable signature, so that tests can check its secret and its time. */
export const sign = ({ secret, now }: { secret: string; now: Date }): Record<string, string> => ({
  timestamp: now.toISOString(),
  authorization: `signed with ${secret}`,
});

export interface RecordedWebhook {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

/** A service on a stopped clock, an offer, and a receiver that records its requests. */
export interface WebhookFixture {
  service: TestService;
  offers: OffersClient;
  offerId: string;
  profile: { secret: string; sign: typeof sign };
  webhooks: RecordedWebhook[];
  /** Sets how the receiver responds from now on. @default with 200 */
  respondWith(respond: (webhook: RecordedWebhook) => Response | Promise<Response>): void;
  handler(request: Request): Promise<Response>;
  /** Creates offers and applies for each. The responses have different order keys, so they are delivered concurrently. */
  applyForOffers(count: number): Promise<void>;
  /** Returns the milliseconds that have passed on the service's clock. */
  elapsedMs(): number;
}

export const respondStatus =
  (status: number, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(null, { status, headers });

/** Creates a fixture. @param register whether to register the receiver; the two requests that check it are not recorded */
export async function createWebhookFixture(register = true): Promise<WebhookFixture> {
  const startedAt = new Date("2030-05-01T12:00:00Z");
  const service = createTestService({ now: () => startedAt });
  const offers = new OffersClient(service);
  const { id: offerId } = await offers.createOffer({
    ...input,
    workerIds: ["worker_amal", "worker_ben", "worker_cleo"],
  });
  const webhooks: RecordedWebhook[] = [];
  let respond: (webhook: RecordedWebhook) => Response | Promise<Response> = respondStatus(200);
  const fixture: WebhookFixture = {
    service,
    offers,
    offerId,
    webhooks,
    profile: { secret, sign },
    respondWith: (newRespond) => {
      respond = newRespond;
    },
    async handler(request) {
      const text = await request.text();
      const headers = Object.fromEntries(request.headers);
      const webhook = { method: request.method, url: request.url, headers, body: text && JSON.parse(text) };
      webhooks.push(webhook);
      return respond(webhook);
    },
    async applyForOffers(count) {
      for (let created = 0; created < count; created += 1) {
        const { id } = await offers.createOffer({ ...input, workerIds: ["worker_amal"] });
        service.respond(id, "worker_amal", "applied");
      }
    },
    elapsedMs: () => service.now().getTime() - startedAt.getTime(),
  };
  if (!register) return fixture;
  await service.deliverTo(fixture.handler, fixture.profile);
  webhooks.length = 0;
  return fixture;
}
