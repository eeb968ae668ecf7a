import { UsageError } from "../terminal/usage-error.ts";

/** A request that the service makes, with an example of its content. */
export interface TriggerEvent {
  name: string;
  method: "GET" | "POST";
  /** `{workerId}` stands for a field. */
  path: string;
  summary: string;
  fields: Readonly<Record<string, string | readonly string[]>>;
  /** Unsigned, as only the first check is. */
  isUnsigned?: true;
}

/** Fictitious; the date-times lie in the future, where no real shift is. */
export const events: readonly TriggerEvent[] = [
  {
    ...{ name: "worker-offer-response", method: "POST", path: "/offer/response" },
    summary: "a worker applies for an offer or rejects it",
    fields: { offerId: "offer-example", workerId: "worker-amal", response: "accepted" },
  },
  {
    ...{ name: "worker-added-contact", method: "GET", path: "/contact/new/{workerId}" },
    summary: "a worker adds a contact at the organisation",
    fields: { workerId: "worker-amal" },
  },
  {
    ...{ name: "offer-event-deleted", method: "POST", path: "/offer/eventDeleted" },
    summary: "a time slot of an offer is deleted",
    fields: { offerId: "offer-example", workerId: "worker-amal", eventStart: "2099-05-01T16:00:00Z" },
  },
  {
    ...{ name: "timeline-changed", method: "POST", path: "/events/timelineChanged" },
    summary: "a worker's availability changes",
    fields: {
      workerId: "worker-amal",
      periodStart: "2099-05-01T00:00:00Z",
      periodEnd: "2099-05-08T00:00:00Z",
      completedAt: "2099-04-20T09:30:00Z",
    },
  },
  {
    ...{ name: "contact-suggestions", method: "POST", path: "/contact-suggestions" },
    summary: "a hirer searches for people to invite",
    fields: { filter: "chef", userEmailAddresses: ["hana@harbour.example"] },
  },
  {
    ...{ name: "test", method: "GET", path: "/test", isUnsigned: true },
    summary: "the check of the address, without a signature",
    fields: {},
  },
  { ...{ name: "test-auth", method: "GET", path: "/test/auth" }, summary: "the check of the secret", fields: {} },
];

/** @throws {UsageError} for a name that no event has */
export function findEvent(name: string): TriggerEvent {
  const event = events.find((each) => each.name === name);
  if (!event)
    throw new UsageError(
      `There is no event ${JSON.stringify(name)}. The events are ${events.map((each) => each.name).join(", ")}.`,
    );
  return event;
}
