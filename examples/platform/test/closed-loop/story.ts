import { fc } from "../../../../scripts/property-seed.ts";
import { type HowItResponds, howItResponds, type StoryReceiver } from "./story-receiver.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export type StoryAction =
  | { type: "respond"; worker: number; response: "applied" | "rejected" }
  | { type: "addContact"; worker: number }
  | { type: "withdraw" }
  | { type: "receiver"; how: HowItResponds }
  | { type: "register" }
  | { type: "search"; filter: string }
  | { type: "redeliver"; delivery: number };

/** An action, and how much time passes after it. */
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

/** A service with one organisation, which has sent an offer to three workers, and that organisation's receiver. */
export interface StorySide {
  readonly receiver: StoryReceiver;
  /** When the story started, in Unix milliseconds by the service's clock. */
  readonly startedAt: number;
  /** Every method returns `done` or the code of the error. */
  register(): Promise<string>;
  respond(worker: string, response: "applied" | "rejected"): Promise<string>;
  addContact(worker: string): Promise<string>;
  withdraw(): Promise<string>;
  /** Searches for suggestions. Resolves with them, or with the code of the failure. */
  search(filter: string): Promise<unknown>;
  redeliver(delivery: number): Promise<string>;
  /** Waits until this time after the start, and makes the attempts that are due by then. */
  waitUntil(ms: number): Promise<void>;
  /** Returns the deliveries, oldest first. */
  deliveries(): Promise<StoryDelivery[]>;
  /** Returns the ids of the same deliveries. */
  deliveryIds(): Promise<string[]>;
}

/** Runs the steps, lets the receiver recover, and waits for all retries to end. @returns the outcome of each step */
export async function playStory(side: StorySide, steps: readonly StoryStep[]): Promise<unknown[]> {
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
      side.receiver.how = action.how;
      return "done";
    default:
      return side[action.type]();
  }
}

const ending: StoryStep[] = [
  { action: { type: "receiver", how: "acknowledges" }, thenWaitMs: minute },
  { action: { type: "register" }, thenWaitMs: 90 * hour },
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
    arbitrary: fc.record({ type: fc.constant("receiver" as const), how: fc.constantFrom(...howItResponds) }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("redeliver" as const), delivery: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.constant({ type: "register" as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("search" as const), filter: fc.constantFrom("", "cook") }) },
  { weight: 1, arbitrary: fc.constant({ type: "withdraw" as const }) },
);
// Use millisecond precision, so that two retries are almost never due at the same time.
const thenWaitMs = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 11 * second, max: 10 * minute }) },
  { weight: 3, arbitrary: fc.integer({ min: 10 * minute, max: 6 * hour }) },
  { weight: 1, arbitrary: fc.integer({ min: 6 * hour, max: 60 * hour }) },
);

/** Generates any sequence of actions by workers, a hirer and the receiver, at any intervals. */
export const stories: fc.Arbitrary<StoryStep[]> = fc.array(fc.record({ action, thenWaitMs }), {
  minLength: 3,
  maxLength: 20,
  size: "max",
});

const then = (thenWaitMs: number, action: StoryAction): StoryStep => ({ action, thenWaitMs });
const respond = (worker: number, response: "applied" | "rejected" = "applied"): StoryAction => {
  return { type: "respond", worker, response };
};

/**
 * A sequence that every run includes, with an outage and a pause, Retry-After, a rejection, 410 and its effects, and five days of failures.
 */
export const wholeStory: StoryStep[] = [
  then(7_111, respond(0)),
  then(9_001, { type: "addContact", worker: 1 }),
  then(8_003, { type: "search", filter: "cook" }),
  then(61_000, { type: "receiver", how: "fails" }),
  ...[0, 1, 2].map((worker) => then(worker === 2 ? 20_011 : 11_003, respond(worker, "rejected"))),
  then(12_007, respond(0)),
  then(3 * minute + 77, { type: "search", filter: "" }),
  then(20 * minute, { type: "receiver", how: "asks for an hour" }),
  then(5 * hour, { type: "receiver", how: "acknowledges" }),
  then(71_003, { type: "redeliver", delivery: 0 }),
  then(73_009, { type: "redeliver", delivery: 1 }),
  then(12_007, { type: "receiver", how: "asks for an hour" }),
  then(13_009, { type: "addContact", worker: 0 }),
  then(2 * hour, { type: "receiver", how: "acknowledges" }),
  then(4 * minute + 3, { type: "receiver", how: "refuses one worker" }),
  ...[respond(0, "rejected"), respond(1)].map((action) => then(41_113, action)),
  then(9 * hour, { type: "receiver", how: "hangs up" }),
  then(23_003, { type: "addContact", worker: 1 }),
  then(52_021, { type: "receiver", how: "refuses" }),
  then(7 * minute, { type: "receiver", how: "is gone" }),
  then(2 * hour, { type: "addContact", worker: 2 }),
  then(61_007, respond(2)),
  then(33_013, { type: "register" }),
  then(33_029, { type: "receiver", how: "sends no content" }),
  then(33_037, { type: "register" }),
  then(33_049, { type: "receiver", how: "acknowledges" }),
  then(50_021, { type: "register" }),
  then(50_023, { type: "receiver", how: "fails" }),
  ...[0, 1, 2, 0, 1, 2, 0].map((worker, index) =>
    then((20 + index) * hour + (index + 1) * 13_001, { type: "addContact", worker }),
  ),
  then(2 * minute + 1, { type: "withdraw" }),
  then(2 * minute + 3, respond(0)),
];
