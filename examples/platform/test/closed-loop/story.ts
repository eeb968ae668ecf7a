import { fc } from "../../../../scripts/property-seed.ts";
import { type ResponseMode, responseModes, type StoryReceiver } from "./story-receiver.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export type StoryAction =
  | { type: "respond"; worker: number; response: "applied" | "rejected" }
  | { type: "addContact"; worker: number }
  | { type: "withdraw" }
  | { type: "receiver"; mode: ResponseMode }
  | { type: "register" }
  | { type: "search"; filter: string }
  | { type: "redeliver"; delivery: number };

/** An action, and the time that passes after it. */
export interface StoryStep {
  action: StoryAction;
  thenWaitMs: number;
}

export const storyWorkers = ["worker_amal", "worker_ben", "worker_cleo"] as const;

/** A delivery's final state, without ids and times. */
export interface StoryDelivery {
  type: string;
  workerId: string;
  response?: string | undefined;
  state: string;
  attempts: { number: number; status: number | null; failure: string | null }[];
}

/** A service with one organisation, an offer that the organisation has sent to three workers, and the organisation's receiver. */
export interface StorySide {
  readonly receiver: StoryReceiver;
  /** When the story started according to the service's clock, in Unix milliseconds. */
  readonly startedAt: number;
  /** Registers the endpoint. Like every action except `search`, resolves with `done` or an error code. */
  register(): Promise<string>;
  respond(workerId: string, response: "applied" | "rejected"): Promise<string>;
  addContact(workerId: string): Promise<string>;
  withdraw(): Promise<string>;
  /** Searches for suggestions, and resolves with them or with the failure code. */
  search(filter: string): Promise<unknown>;
  redeliver(deliveryIndex: number): Promise<string>;
  /** Advances step by step to `ms` milliseconds after the start, making each attempt when it is due. */
  waitUntil(ms: number): Promise<void>;
  /** Returns the deliveries, oldest first. */
  deliveries(): Promise<StoryDelivery[]>;
  /** Returns the delivery ids, oldest first. */
  deliveryIds(): Promise<string[]>;
}

/** Registers the endpoint, runs the steps, lets the receiver recover and waits for all retries. @returns the outcome of each action */
export async function runStory(side: StorySide, steps: readonly StoryStep[]): Promise<unknown[]> {
  const outcomes: unknown[] = [await side.register()];
  let elapsedMs = 0;
  for (const { action, thenWaitMs } of [...steps, ...ending]) {
    outcomes.push(await perform(side, action));
    elapsedMs += thenWaitMs;
    await side.waitUntil(elapsedMs);
  }
  return outcomes;
}

function perform(side: StorySide, action: StoryAction): Promise<unknown> | string {
  switch (action.type) {
    case "respond":
      return side.respond(storyWorkers[action.worker] ?? "", action.response);
    case "addContact":
      return side.addContact(storyWorkers[action.worker] ?? "");
    case "search":
      return side.search(action.filter);
    case "redeliver":
      return side.redeliver(action.delivery);
    case "receiver":
      side.receiver.mode = action.mode;
      return "done";
    default:
      return side[action.type]();
  }
}

const ending: StoryStep[] = [
  { action: { type: "receiver", mode: "acknowledges" }, thenWaitMs: minuteMs },
  { action: { type: "register" }, thenWaitMs: 90 * hourMs },
];

const worker = fc.nat(storyWorkers.length - 1);
const action: fc.Arbitrary<StoryAction> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("respond" as const),
      worker,
      response: fc.constantFrom("applied" as const, "rejected" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("addContact" as const), worker }) },
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("receiver" as const), mode: fc.constantFrom(...responseModes) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("redeliver" as const), delivery: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.constant({ type: "register" as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("search" as const), filter: fc.constantFrom("", "cook") }) },
  { weight: 1, arbitrary: fc.constant({ type: "withdraw" as const }) },
);
// With millisecond precision, two retries are almost never due at the same time.
const thenWaitMs = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 11 * secondMs, max: 10 * minuteMs }) },
  { weight: 3, arbitrary: fc.integer({ min: 10 * minuteMs, max: 6 * hourMs }) },
  { weight: 1, arbitrary: fc.integer({ min: 6 * hourMs, max: 60 * hourMs }) },
);

/** Generates any sequence of actions by workers, a hirer and the receiver, at any intervals. */
export const stories: fc.Arbitrary<StoryStep[]> = fc.array(fc.record({ action, thenWaitMs }), {
  minLength: 3,
  maxLength: 20,
  size: "max",
});

const step = (thenWaitMs: number, action: StoryAction): StoryStep => ({ action, thenWaitMs });
const respond = (worker: number, response: "applied" | "rejected" = "applied"): StoryAction => {
  return { type: "respond", worker, response };
};

/**
 * A story that every run includes: an outage that pauses deliveries, Retry-After, a rejection, a 410 and its effects, and five days of
 * failures.
 */
export const wholeStory: StoryStep[] = [
  step(7_111, respond(0)),
  step(9_001, { type: "addContact", worker: 1 }),
  step(8_003, { type: "search", filter: "cook" }),
  step(61_000, { type: "receiver", mode: "fails" }),
  ...[0, 1, 2].map((worker) => step(worker === 2 ? 20_011 : 11_003, respond(worker, "rejected"))),
  step(12_007, respond(0)),
  step(3 * minuteMs + 77, { type: "search", filter: "" }),
  step(20 * minuteMs, { type: "receiver", mode: "asks for an hour" }),
  step(5 * hourMs, { type: "receiver", mode: "acknowledges" }),
  step(71_003, { type: "redeliver", delivery: 0 }),
  step(73_009, { type: "redeliver", delivery: 1 }),
  step(12_007, { type: "receiver", mode: "asks for an hour" }),
  step(13_009, { type: "addContact", worker: 0 }),
  step(2 * hourMs, { type: "receiver", mode: "acknowledges" }),
  step(4 * minuteMs + 3, { type: "receiver", mode: "refuses one worker" }),
  ...[respond(0, "rejected"), respond(1)].map((action) => step(41_113, action)),
  step(9 * hourMs, { type: "receiver", mode: "hangs up" }),
  step(23_003, { type: "addContact", worker: 1 }),
  step(52_021, { type: "receiver", mode: "refuses" }),
  step(7 * minuteMs, { type: "receiver", mode: "is gone" }),
  step(2 * hourMs, { type: "addContact", worker: 2 }),
  step(61_007, respond(2)),
  step(33_013, { type: "register" }),
  step(33_029, { type: "receiver", mode: "sends no content" }),
  step(33_037, { type: "register" }),
  step(33_049, { type: "receiver", mode: "acknowledges" }),
  step(50_021, { type: "register" }),
  step(50_023, { type: "receiver", mode: "fails" }),
  ...[0, 1, 2, 0, 1, 2, 0].map((worker, index) =>
    step((20 + index) * hourMs + (index + 1) * 13_001, { type: "addContact", worker }),
  ),
  step(2 * minuteMs + 1, { type: "withdraw" }),
  step(2 * minuteMs + 3, respond(0)),
];
