import { OffersClient } from "@offers/client";
import { createTestService, type TestService } from "@offers/client/testing";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { signHeaders } from "@offers/webhook-kit/testing";
import type { Moment } from "./seen.ts";
import { type StoryDelivery, type StorySide, storyWorkers } from "./story.ts";
import { StoryReceiver, storyPrefix, storySecret } from "./story-receiver.ts";

export interface InMemorySide extends StorySide {
  /** The times that the story has waited until, in Unix milliseconds. */
  waitedUntil: readonly number[];
  moments(): Moment[];
}

/** Creates a service in memory, with a clock that only the story advances. */
export async function inMemorySide(): Promise<InMemorySide> {
  const startedAt = Date.now();
  const service = createTestService({ now: () => new Date(startedAt) });
  const receiver = new StoryReceiver(service.now);
  const offers = new OffersClient(service);
  const { id: offerId } = await offers.createOffer({
    createdByUserId: "user_hana",
    title: "Kitchen help",
    workerIds: [...storyWorkers],
  });
  const waitedUntil: number[] = [];
  const codeOf = (action: () => unknown) => attempt(async () => void (await action()));
  return {
    receiver,
    startedAt,
    waitedUntil,
    register: () =>
      codeOf(() =>
        service.deliverTo(receiver.handle, {
          secret: storySecret,
          sign: signHeaders,
          baseUrl: `https://integrator.test${storyPrefix}/`,
        }),
      ),
    respond: (worker, response) => codeOf(() => service.respond(offerId, worker, response)),
    addContact: (worker) => codeOf(() => service.addContact(worker)),
    withdraw: () => codeOf(() => offers.withdrawOffer(offerId)),
    search: (filter) => attempt(() => service.suggestContacts({ filter, userEmailAddresses: ["hana@example.com"] })),
    redeliver: (delivery) => codeOf(() => service.redeliver(service.deliveries[delivery]?.id ?? "")),
    async waitUntil(ms) {
      waitedUntil.push(startedAt + ms);
      await service.advance(startedAt + ms - service.now().getTime());
    },
    deliveries: async () => service.deliveries.map(shown),
    moments: () => service.deliveries.flatMap(momentsOf),
    deliveryIds: async () => service.deliveries.map(({ id }) => id),
  };
}

/** Runs an action. @returns its value, `done` for undefined, or the code of the error it throws */
async function attempt(action: () => Promise<unknown>): Promise<string> {
  try {
    return ((await action()) ?? "done") as string;
  } catch (error) {
    return String(Object(error).code);
  }
}

/** Returns when each attempt was due and made. A retry may have been due earlier, while the circuit breaker was open. */
const momentsOf = ({ id: deliveryId, attempts }: TestService["deliveries"][number]): Moment[] =>
  attempts.flatMap(({ at, number }, index) => {
    const before = number > 1 ? attempts[index - 1] : undefined;
    const delayMs = Math.max(defaultRetrySchedule.delaysMs[number - 2] ?? 0, before?.status === 503 ? 3_600_000 : 0);
    const dueAt = before ? before.at.getTime() + delayMs : at.getTime();
    return [
      { deliveryId, at: at.getTime() },
      { deliveryId, at: dueAt },
    ];
  });

const shown = ({ type, data, state, attempts }: TestService["deliveries"][number]): StoryDelivery => ({
  type,
  state,
  workerId: data.workerId,
  response: "response" in data ? data.response : undefined,
  attempts: attempts.map(({ number, status = null, failure = null }) => ({ number, status, failure })),
});
