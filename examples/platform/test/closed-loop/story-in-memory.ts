import { OffersClient } from "@offers/client";
import { createTestService, type TestService } from "@offers/client/testing";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { signHeaders } from "@offers/webhook-kit/testing";
import type { Moment } from "./seen.ts";
import { type StoryDelivery, type StorySide, storyWorkers } from "./story.ts";
import { StoryReceiver, storyPrefix, storySecret } from "./story-receiver.ts";

export interface InMemorySide extends StorySide {
  /** When each of the story's waits ended, in Unix milliseconds. */
  waitedUntil: readonly number[];
  moments(): Moment[];
}

/** Creates an in-memory service with one offer and a clock that only the story advances. */
export async function createInMemorySide(): Promise<InMemorySide> {
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
  /** Runs an action, and ignores its value. @returns `done`, or the code of the error that the action throws */
  const runForOutcome = (action: () => unknown) => runForValue(async () => void (await action()));
  return {
    receiver,
    startedAt,
    waitedUntil,
    register: () =>
      runForOutcome(() =>
        service.deliverTo(receiver.handle, {
          secret: storySecret,
          sign: signHeaders,
          baseUrl: `https://integrator.test${storyPrefix}/`,
        }),
      ),
    respond: (workerId, response) => runForOutcome(() => service.respond(offerId, workerId, response)),
    addContact: (workerId) => runForOutcome(() => service.addContact(workerId)),
    withdraw: () => runForOutcome(() => offers.withdrawOffer(offerId)),
    search: (filter) =>
      runForValue(() => service.suggestContacts({ filter, userEmailAddresses: ["hana@example.com"] })),
    redeliver: (index) => runForOutcome(() => service.redeliver(service.deliveries[index]?.id ?? "")),
    async waitUntil(ms) {
      waitedUntil.push(startedAt + ms);
      await service.advance(startedAt + ms - service.now().getTime());
    },
    deliveries: async () => service.deliveries.map(toStoryDelivery),
    moments: () => service.deliveries.flatMap(listMoments),
    deliveryIds: async () => service.deliveries.map(({ id }) => id),
  };
}

/** Runs an action. @returns its value, `done` if the value is undefined, or the code of the error that the action throws */
async function runForValue(action: () => Promise<unknown>): Promise<string> {
  try {
    return ((await action()) ?? "done") as string;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** Returns two moments for each attempt: when it was made, and when it was due. They differ if the circuit breaker was open. */
const listMoments = ({ id: deliveryId, attempts }: TestService["deliveries"][number]): Moment[] =>
  attempts.flatMap(({ at, number }, index) => {
    // The second attempt is due after the first delay. The receiver's 503 responses have a Retry-After header of one hour.
    const previous = number > 1 ? attempts[index - 1] : undefined;
    const delayMs = Math.max(defaultRetrySchedule.delaysMs[number - 2] ?? 0, previous?.status === 503 ? 3_600_000 : 0);
    const dueAt = previous ? previous.at.getTime() + delayMs : at.getTime();
    return [
      { deliveryId, at: at.getTime() },
      { deliveryId, at: dueAt },
    ];
  });

const toStoryDelivery = ({ type, data, state, attempts }: TestService["deliveries"][number]): StoryDelivery => ({
  type,
  state,
  workerId: data.workerId,
  response: "response" in data ? data.response : undefined,
  attempts: attempts.map(({ number, status = null, failure = null }) => ({ number, status, failure })),
});
