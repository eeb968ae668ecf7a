import { randomUUID } from "node:crypto";
import { UsageError } from "../terminal/output.ts";

/** A request that the service sends, with an example of its content. */
export interface TriggerEvent {
  /** The name on the command line, such as `worker-offer-response`. */
  name: string;
  /** The HTTP method. */
  method: "GET" | "POST";
  /** The path. `{workerId}` is replaced with the value of that field. */
  path: string;
  /** What the event means, in a few words. */
  summary: string;
  /** Example values of its fields. */
  fields: Readonly<Record<string, string | readonly string[]>>;
  /** Whether the request is unsigned, as the URL check is. */
  isUnsigned?: true;
  /** Whether this is a request, which the service sends only once, and not an event, which it retries. */
  isRequest?: true;
}

/** Fictitious events. Their date-times are too far in the future to collide with real shifts. */
export const events: readonly TriggerEvent[] = [
  {
    name: "worker-offer-response",
    method: "POST",
    path: "/offer/response",
    summary: "a worker applies for an offer or rejects it",
    fields: { offerId: "offer_example", workerId: "worker_amal", response: "accepted" },
  },
  {
    name: "worker-added-contact",
    method: "GET",
    path: "/contact/new/{workerId}",
    summary: "a worker adds a contact at the organisation",
    fields: { workerId: "worker_amal" },
  },
  {
    name: "offer-event-deleted",
    method: "POST",
    path: "/offer/eventDeleted",
    summary: "a time slot of an offer is deleted",
    fields: { offerId: "offer_example", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" },
  },
  {
    name: "timeline-changed",
    method: "POST",
    path: "/events/timelineChanged",
    summary: "a worker's availability changes",
    fields: {
      workerId: "worker_amal",
      periodStart: "2099-05-01T00:00:00Z",
      periodEnd: "2099-05-08T00:00:00Z",
      completedAt: "2099-04-20T09:30:00Z",
    },
  },
  {
    name: "contact-suggestions",
    method: "POST",
    path: "/contact-suggestions",
    isRequest: true,
    summary: "a hirer searches for people to invite",
    fields: { filter: "chef", userEmailAddresses: ["hana@harbour.example"] },
  },
  {
    name: "test",
    method: "GET",
    path: "/test",
    isUnsigned: true,
    isRequest: true,
    summary: "the URL check, which is not signed",
    fields: {},
  },
  {
    name: "test-auth",
    method: "GET",
    path: "/test/auth",
    isRequest: true,
    summary: "the secret check",
    fields: {},
  },
];

/** Finds an event by its name. @throws {UsageError} for an unknown name */
export function findEvent(name: string): TriggerEvent {
  const event = events.find((candidate) => candidate.name === name);
  if (event) return event;
  const names = events.map((candidate) => candidate.name).join(", ");
  throw new UsageError(`There is no event ${JSON.stringify(name)}. The events are ${names}.`);
}

/**
 * Returns the fields of an event with a new `offerId` or `workerId`, if it has one, so that a receiver does not mistake it for an event
 * that it has already handled.
 */
export function uniqueFields({ fields }: TriggerEvent): TriggerEvent["fields"] {
  const idField = ["offerId", "workerId"].find((name) => name in fields);
  const suffix = randomUUID().slice(0, 8);
  return idField === undefined ? fields : { ...fields, [idField]: `${idField.replace("Id", "")}_test_${suffix}` };
}

/**
 * Returns the fields of an event with the values from `--set field=value`. Commas separate the items of a list.
 *
 * @throws {UsageError} for an assignment without `=`, or for a field that the event does not have
 */
export function overrideFields({ name, fields }: TriggerEvent, assignments: readonly string[]): TriggerEvent["fields"] {
  const fieldNames = Object.keys(fields);
  const assigned: Record<string, string | string[]> = {};
  for (const assignment of assignments) {
    const [, field = "", value = ""] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
    if (field === "") throw new UsageError(`--set needs field=value, not ${JSON.stringify(assignment)}.`);
    if (!fieldNames.includes(field))
      throw new UsageError(
        fieldNames.length === 0
          ? `${name} has no fields to set.`
          : `${name} has no field ${JSON.stringify(field)}. Its fields are ${fieldNames.join(", ")}.`,
      );
    assigned[field] = Array.isArray(fields[field]) ? value.split(",").filter(Boolean) : value;
  }
  return { ...fields, ...assigned };
}
