import type { StorySide } from "./story.ts";
import { type RecordedRequest, type StoryReceiver, storyPrefix } from "./story-receiver.ts";

/** Headers of the HTTP connection, which an in-memory handler does not get. */
const connectionHeaders = new Set(["host", "connection", "content-length"]);

/** The formats of headers that have a different value in each request. */
const formats: Readonly<Record<string, RegExp>> = {
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  authorization: /^hmac [\dA-F]{64}$/,
};

/** A request without the values that differ between runs. */
export interface ComparableRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * Returns a receiver's requests in order, grouped by instant. At one instant, the platform orders only requests for the same worker and
 * offer (D-32), so each group is sorted.
 *
 * @param counts how many requests arrived at each instant
 */
export async function readRequests(side: StorySide, counts: readonly number[]): Promise<ComparableRequest[][]> {
  const ids = await side.deliveryIds();
  const remaining = side.receiver.requests.map((request) => toComparable(request, ids));
  const groups = counts.map((count) => remaining.splice(0, count));
  // If any requests remain, they arrived only at this side.
  return [...groups, remaining].map((requests) => requests.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b))));
}

/** Returns a sort key. Requests with a guaranteed order have the same key, so that sorting does not change their order. */
const sortKey = ({ method, path, headers, body }: ComparableRequest): string =>
  `${path} ${method === "POST" ? Object(body).workerId : headers["offers-delivery-id"]}`;

function toComparable({ method, path, headers, body }: RecordedRequest, ids: readonly string[]): ComparableRequest {
  const applicationHeaders = Object.entries(headers).filter(([name]) => !connectionHeaders.has(name));
  const comparableHeaders = applicationHeaders.map(([name, value]) => {
    if (name === "offers-delivery-id") return [name, `delivery ${ids.indexOf(value)}`];
    return [name, formats[name]?.test(value) ? "well-formed" : value];
  });
  const parsedBody = body === "" ? undefined : JSON.parse(body);
  if (parsedBody?.offerId !== undefined) parsedBody.offerId = "the offer";
  return {
    method,
    path: path.replace(storyPrefix, ""),
    headers: Object.fromEntries(comparableHeaders),
    body: parsedBody,
  };
}

/** Returns how many milliseconds later, in the story's time, each request arrived at `side` than at `reference`. */
export const latenessMs = (side: StorySide, reference: StorySide): number[] =>
  side.receiver.requests.map(({ at }, index) => {
    const referenceAt = reference.receiver.requests[index]?.at ?? Number.NaN;
    return at - side.startedAt - (referenceAt - reference.startedAt);
  });

/** Counts the requests at each instant of a clock that only the story advances. */
export function countByInstant({ requests }: StoryReceiver): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { at } of requests) counts.set(at, (counts.get(at) ?? 0) + 1);
  return counts;
}

/** A time at which a delivery was due or attempted. */
export interface Moment {
  deliveryId: string;
  at: number;
}

/** How late attempts may be on the platform, where a story takes real time. No attempt can be early. */
const marginMs = 5_000;

/**
 * Returns whether attempts and steps must happen in the same order on the platform, because enough time passes between each attempt and the
 * story's next step or the next attempt at a different delivery.
 */
export function isUnambiguous(moments: readonly Moment[], stepTimes: readonly number[]): boolean {
  const events = [...moments, ...stepTimes.map((at) => ({ at, deliveryId: "" }))];
  return moments.every(({ at, deliveryId }) =>
    events.every((event) => event.deliveryId === deliveryId || event.at <= at || event.at >= at + marginMs),
  );
}
