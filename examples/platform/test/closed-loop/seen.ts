import type { StorySide } from "./story.ts";
import { type SeenRequest, type StoryReceiver, storyPrefix } from "./story-receiver.ts";

/** Of HTTP itself: a handler in memory gets none of them. */
const ofTransport = new Set(["host", "connection", "content-length"]);

/** What stands in database of a value that differs each time, where it has the form that it must have. */
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
 * What a receiver was sent, in order. Between requests of one instant the platform promises an order only for those of one worker
 * and offer (D-32): the others are sorted.
 *
 * @param sizes how many requests there are of each instant
 */
export async function seenOf(side: StorySide, sizes: readonly number[]): Promise<Seen[][]> {
  const ids = await side.deliveryIds();
  const rest = side.receiver.requests.map((request) => shapeOf(request, ids));
  const instants = sizes.map((size) => rest.splice(0, size));
  // What one side alone was sent.
  return [...instants, rest].map((seen) => seen.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other))));
}

/** The same for requests that have an order: the sort keeps it. */
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

/** Of each request, how many milliseconds of the story later it came on the one side than on the other. */
export const latenessMs = (one: StorySide, other: StorySide): number[] =>
  one.receiver.requests.map(({ at }, index) => {
    const sameOnOther = other.receiver.requests[index]?.at ?? Number.NaN;
    return at - one.startedAt - (sameOnOther - other.startedAt);
  });

/** How many requests each instant had, on a clock that stands still. */
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

/** How late attempts may be on the platform, where a story takes real time. Time beyond the story's own makes none early. */
const marginMs = 5_000;

/**
 * Whether no attempt is so close before something else that on the platform it could come after it: before an attempt at another
 * delivery, or before the story's next step.
 */
export function isUnambiguous(moments: readonly Moment[], steps: readonly number[]): boolean {
  const others = [...moments, ...steps.map((at) => ({ at, deliveryId: "" }))];
  return moments.every(({ at, deliveryId }) =>
    others.every((other) => other.deliveryId === deliveryId || other.at <= at || other.at >= at + marginMs),
  );
}
