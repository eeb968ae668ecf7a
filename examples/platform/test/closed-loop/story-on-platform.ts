import type { RequestListener } from "node:http";
import { buffer } from "node:stream/consumers";
import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { sql } from "kysely";
import { searchAll } from "../../src/accounts/contact-suggestions.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { createSigner } from "../../src/endpoint-client/send-signed.ts";
import { ProblemError } from "../../src/http/problem.ts";
import { type Actor, applyAction } from "../../src/offers/apply-action.ts";
import { createOffer } from "../../src/offers/create-offer.ts";
import type { Action } from "../../src/offers/transition.ts";
import type { PortalDeps } from "../../src/routes/portal/person.ts";
import { saveProfile } from "../../src/routes/portal/profile/save-profile.ts";
import { addContact } from "../../src/routes/worker-app/contacts.ts";
import { redeliver } from "../../src/webhooks/redeliver.ts";
import { linkTo } from "../mail/link-to.ts";
import { addOrganisation, type DeliveryFixture, testEncryptionKey } from "../support/delivery-fixture.ts";
import { serve, type TestServer } from "../support/serve.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { type StoryDelivery, type StorySide, storyWorkers } from "./story.ts";
import { StoryReceiver, storyPrefix, storySecret } from "./story-receiver.ts";

/** The platform's store and deliveries without its HTTP API, and a server that receives its webhooks. */
export interface StoryPlatform {
  fixture: DeliveryFixture;
  /** Starts a new story, without any data from the previous one. */
  startStory(): Promise<StorySide>;
  close(): Promise<void>;
}

export async function openStoryPlatform(fixture: DeliveryFixture): Promise<StoryPlatform> {
  let receiver: StoryReceiver | undefined;
  const server = await serve(toListener((request) => (receiver as StoryReceiver).handle(request)));
  const endpointClient = createEndpointClient({ allowLoopback: true });
  return {
    fixture,
    async startStory() {
      await fixture.reset();
      const side = await createPlatformSide(fixture, endpointClient, server);
      receiver = side.receiver;
      return side;
    },
    async close() {
      await endpointClient.close();
      await server.close();
    },
  };
}

async function createPlatformSide(
  fixture: DeliveryFixture,
  endpointClient: PortalDeps["endpointClient"],
  { baseAddress }: TestServer,
): Promise<StorySide> {
  const { store } = fixture;
  const time = createVirtualTime(fixture);
  const { now } = time;
  const startedAt = now().getTime();
  const receiver = new StoryReceiver(now);
  const sign = createSigner(now);
  const onError = (error: unknown): void => void fixture.errors.push(error);
  const signals = { publish: () => undefined };
  const usedDeps: Partial<PortalDeps> = {
    ...{ store, endpointClient, sign, now, signals, onError },
    encryptionKey: testEncryptionKey,
  };
  // Saving a profile and searching need no other dependencies.
  const deps = usedDeps as PortalDeps;

  const organisationId = await addOrganisation(store);
  await store.db
    .insertInto("workers")
    .values(storyWorkers.map((id) => ({ id, name: id, password_hash: "" })))
    .execute();
  const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: [...storyWorkers] };
  const offerId = await store.transaction((trx) => createOffer(trx, { linkTo }, organisationId, offer));
  // The production defaults, but without jitter.
  const policies = { random: () => 0.5, retrySchedule: defaultRetrySchedule, breaker: defaultBreakerPolicy };
  const startDelivery = () => fixture.startDelivery({ now, sign, ...policies });
  let delivery = startDelivery();

  const act = async (actor: Actor, action: Action) => {
    const result = await store.transaction((trx) => applyAction(trx, { linkTo }, actor, offerId, action));
    return result === "done" ? result : result.code;
  };
  const deliveryIds = async () => (await readDeliveries(fixture)).map(({ id }) => id);
  return {
    receiver,
    startedAt,
    async register() {
      const profile = { baseAddress: `${baseAddress}${storyPrefix}/`, secret: storySecret, suggestsContacts: true };
      // Saving takes two transactions, and an attempt between them could belong to the old or the new schedule.
      await delivery.stop();
      try {
        await saveProfile(deps, { organisationId } as Parameters<typeof saveProfile>[1], profile);
        return "done";
      } catch (error) {
        if (error instanceof ProblemError) return error.code;
        throw error;
      } finally {
        delivery = startDelivery();
      }
    },
    respond: (workerId, response) => act({ workerId }, { type: response === "applied" ? "apply" : "reject", workerId }),
    async addContact(workerId) {
      const limits = { personLimits: {} } as Parameters<typeof addContact>[1];
      await store.transaction((trx) => addContact(trx, limits, workerId, organisationId));
      return "done";
    },
    withdraw: () => act({ organisationId }, { type: "withdraw" }),
    async search(filter) {
      const search = { organisationIds: [organisationId], userEmailAddresses: ["hana@example.com"] };
      const [result] = await searchAll(deps, { ...search, ...(filter && { filter }) });
      return result && ("suggestions" in result ? result.suggestions : result.failure.code);
    },
    async redeliver(index) {
      const { outcome } = await redeliver(store, organisationId, (await deliveryIds())[index] ?? "");
      return redeliveryCodes[outcome];
    },
    async waitUntil(ms) {
      const endMs = startedAt + ms;
      const remainingMs = (): number => endMs - now().getTime();
      for (;;) {
        await time.waitUntilIdle();
        const dueAt = await time.nextDueAt();
        if (dueAt === undefined || dueAt.getTime() > endMs) break;
        // Advance one millisecond further, because `dueAt` has no microseconds.
        await time.advance(Math.max(1, dueAt.getTime() - now().getTime() + 1));
      }
      if (remainingMs() > 0) await time.advance(remainingMs());
      await time.waitUntilIdle();
    },
    deliveryIds,
    async deliveries() {
      const attempts = await store.db
        .selectFrom("attempts")
        .select(["delivery_id", "status", "error"])
        .orderBy("id")
        .execute();
      return (await readDeliveries(fixture)).map(({ id, type, data, state }): StoryDelivery => {
        const numbers = fixture.attempts.filter(({ deliveryId }) => deliveryId === id).map(({ number }) => number);
        const stored = attempts.filter((attempt) => attempt.delivery_id === id);
        return {
          type,
          workerId: data.workerId ?? "",
          response: data.response,
          state,
          attempts: stored.map(({ status, error }, index) => ({ number: numbers[index] ?? 0, status, failure: error })),
        };
      });
    },
  };
}

/** Reads the deliveries, with the states that the portal shows. */
async function readDeliveries({ store }: DeliveryFixture) {
  const { rows } = await sql<{ id: string; type: string; data: Record<string, string>; state: string }>`
    select deliveries.id, type, data, case
      when state = 'dead' then 'failed'
      when state = 'pending' and disabled_at is not null then 'held'
      else state end as state
    from deliveries
    join events on events.id = event_id
    join endpoints on endpoints.organisation_id = deliveries.organisation_id
    order by sequence`.execute(store.db);
  return rows;
}

const redeliveryCodes = {
  redelivered: "done",
  unknown: "delivery_not_found",
  waiting: "delivery_pending",
  superseded: "delivery_superseded",
  repeated: "delivery_superseded",
};

/** Converts a handler to a listener. If the handler throws, the listener closes the connection without a response. */
function toListener(handle: (request: Request) => Promise<Response>): RequestListener {
  return async (incoming, outgoing) => {
    const { method = "", url = "", headers, headersDistinct } = incoming;
    const flatHeaders = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const body = await buffer(incoming);
    const init = { method, headers: flatHeaders, ...(method === "POST" && { body: new Uint8Array(body) }) };
    try {
      const response = await handle(new Request(`http://${headers.host}${url}`, init));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    } catch {
      outgoing.destroy();
    }
  };
}
