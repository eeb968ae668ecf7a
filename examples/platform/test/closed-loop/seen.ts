import type { StorySide } from "./story.ts";
import { type SeenRequest, type StoryReceiver, storyPrefix } from "./story-receiver.ts";

/** Headers that belong to the HTTP connection, which a handler in memory does not get. */
const ofTransport = new Set(["host", "connection", "content-length"]);

/** The formats of values that differ each time. */
const forms: Readonly<Record<string, RegExp>> = {
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  authorization: /^hmac [\dA-F]{64}$/,
};

export interface Seen {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

/**
 * Returns the requests that a receiver got, in order. Of requests at the same instant, the platform orders only those for one worker and
 * offer (D-32), so the others are sorted.
 *
 * @param sizes the number of requests at each instant
 */
export async function seenOf(side: StorySide, sizes: readonly number[]): Promise<Seen[][]> {
  const ids = await side.deliveryIds();
  const rest = side.receiver.requests.map((request) => shapeOf(request, ids));
  const instants = sizes.map((size) => rest.splice(0, size));
  // Add the requests that only one side got.
  return [...instants, rest].map((seen) => seen.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other))));
}

/** Returns a sort key. Requests with a guaranteed order have the same key, so that sorting keeps their order. */
const keyOf = ({ method, path, headers, body }: Seen): string =>
  `${path} ${method === "POST" ? Object(body).workerId : headers["offers-delivery-id"]}`;

function shapeOf({ method, path, headers, body }: SeenRequest, ids: readonly string[]): Seen {
  const kept = Object.entries(headers).filter(([name]) => !ofTransport.has(name));
  const shapes = kept.map(([name, value]) => {
    if (name === "offers-delivery-id") return [name, `delivery ${ids.indexOf(value)}`];
    return [name, forms[name]?.test(value) ? "well-formed" : value];
  });
  return {
    method,
    path: path.replace(storyPrefix, ""),
    headers: Object.fromEntries(shapes),
    body: body === "" ? undefined : { ...JSON.parse(body), ...(body.includes("offerId") && { offerId: "the offer" }) },
  };
}

/** Returns how much later each request arrived at one side than at the other, in milliseconds of the story's time. */
export const latenessMs = (one: StorySide, other: StorySide): number[] =>
  one.receiver.requests.map(({ at }, index) => {
    const sameOnOther = other.receiver.requests[index]?.at ?? Number.NaN;
    return at - one.startedAt - (sameOnOther - other.startedAt);
  });

/** Counts the requests at each instant of a stopped clock. */
export function instantsOf({ requests }: StoryReceiver): Map<number, number> {
  const sizes = new Map<number, number>();
  for (const { at } of requests) sizes.set(at, (sizes.get(at) ?? 0) + 1);
  return sizes;
}

/** When a delivery was due or attempted. */
export interface Moment {
  deliveryId: string;
  at: number;
}

/** How late attempts may be on the platform, where a story takes real time. No attempt can be early. */
const marginMs = 5_000;

/**
 * Returns whether the order of attempts and steps is certain on the platform: no attempt is so close to an attempt at another delivery, or
 * to the story's next step, that it could come after it.
 */
export function isUnambiguous(moments: readonly Moment[], steps: readonly number[]): boolean {
  const others = [...moments, ...steps.map((at) => ({ at, deliveryId: "" }))];
  return moments.every(({ at, deliveryId }) =>
    others.every((other) => other.deliveryId === deliveryId || other.at <= at || other.at >= at + marginMs),
  );
}
