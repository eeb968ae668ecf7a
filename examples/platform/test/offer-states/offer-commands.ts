import { expect } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import {
  OfferHistory,
  type OfferOutcome,
  type OfferPicture,
  type OfferStep,
  type Organisation,
} from "./offer-history.ts";
import { brokenInvariants } from "./offer-invariants.ts";

/** The workers; each offer is sent to some of them. */
export const workerIds = ["amal", "ben", "cleo", "dana", "elif"] as const;

/** The offers in the pure module or in the store, numbered in creation order. */
export interface OffersUnderTest {
  create(workerIds: readonly string[]): Promise<void>;
  act(offer: number, step: OfferStep): Promise<OfferOutcome>;
  /** Returns one picture of every offer. */
  pictures(): Promise<OfferPicture[]>;
}

/** The histories of all offers so far, and their last pictures. */
export interface Model {
  histories: OfferHistory[];
  seen: OfferPicture[];
  /** Called with each step and its outcome. */
  onOutcome: (step: OfferStep["type"], outcome: OfferOutcome) => void;
}

/** A planned step. A completion can name the workers who have applied by then, because random workers are nearly always rejected. */
type Plan =
  | OfferStep
  | { type: "complete"; organisation: Organisation; workerIds: "first who applies" | "all who apply" };

type OfferCommand = fc.AsyncCommand<Model, OffersUnderTest>;

class Create implements OfferCommand {
  readonly #workerIds: readonly string[];
  constructor(ids: readonly string[]) {
    this.#workerIds = ids;
  }
  check = () => true;
  async run(model: Model, real: OffersUnderTest): Promise<void> {
    await real.create(this.#workerIds);
    model.histories.push(new OfferHistory(this.#workerIds));
    await compare(model, real);
  }
  toString = () => `create for ${this.#workerIds.join(" ")}`;
}

class Act implements OfferCommand {
  readonly #number: number;
  readonly #plan: Plan;
  constructor(number: number, plan: Plan) {
    this.#number = number;
    this.#plan = plan;
  }
  check = ({ histories }: Readonly<Model>) => histories.length > 0;
  async run(model: Model, real: OffersUnderTest): Promise<void> {
    const { histories, seen } = model;
    const offer = this.#number % histories.length;
    const history = histories[offer] as OfferHistory;
    const step = stepOf(this.#plan, seen[offer] as OfferPicture);
    const expected = history.judge(step);
    expect(await real.act(offer, step)).toBe(expected);
    model.onOutcome(step.type, expected);
    if (expected === "done") history.add(step);
    await compare(model, real);
    // A rejected step changes nothing, and neither does opening or closing the offer's page. No step changes another offer.
    const isInert = expected !== "done" || step.type === "open" || step.type === "close";
    const untouched = (pictures: OfferPicture[]) => pictures.filter((_, index) => isInert || index !== offer);
    expect(untouched(model.seen)).toEqual(untouched(seen));
  }
  toString = () => `offer ${this.#number}: ${JSON.stringify(this.#plan)}`;
}

function stepOf(plan: Plan, { recipients }: OfferPicture): OfferStep {
  if (plan.type !== "complete" || typeof plan.workerIds !== "string") return plan as OfferStep;
  const applied = recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  return { ...plan, workerIds: plan.workerIds === "all who apply" ? applied : applied.slice(0, 1) };
}

async function compare(model: Model, real: OffersUnderTest): Promise<void> {
  const before = model.seen;
  model.seen = await real.pictures();
  expect(model.seen).toEqual(model.histories.map((history) => history.picture(workerIds)));
  expect(before.flatMap((picture, index) => brokenInvariants(picture, model.seen[index] as OfferPicture))).toEqual([]);
}

const worker = fc.constantFrom(...workerIds);
/** Generates the ids of workers, including an unknown one. */
const named = fc.constantFrom(...workerIds, "unknown");
const organisation = fc.constantFrom<Organisation[]>("ours", "ours", "ours", "theirs");

const completedWith = fc.oneof(
  fc.constantFrom("first who applies" as const, "all who apply" as const),
  fc.array(named, { maxLength: 3 }),
);

const plan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("apply" as const), workerId: worker }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom("open" as const, "reject", "close"), workerId: worker }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("complete" as const), organisation, workerIds: completedWith }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("withdraw" as const), organisation }) },
);
const create = fc.array(worker, { minLength: 1, maxLength: 6 }).map((ids) => new Create(ids));
const act = fc.tuple(fc.nat({ max: 2 }), plan).map(([number, each]) => new Act(number, each));

/** Generates any sequence of steps by any actors. */
export const offerCommands = (maxCommands: number) =>
  fc.commands([create, act, act, act, act, act, act], { maxCommands, size: "max" });

const ours = "ours" as const;

/** A sequence that every run includes, in which each kind of step succeeds, is repeated, and is rejected for each reason. */
export const offerScenario: readonly OfferCommand[] = [
  new Create(["cleo", "amal", "ben", "amal", "elif"]),
  new Create(["amal"]),
  ...(
    [
      { type: "open", workerId: "amal" },
      { type: "apply", workerId: "amal" },
      { type: "apply", workerId: "amal" },
      { type: "apply", workerId: "dana" },
      { type: "apply", workerId: "ben" },
      { type: "apply", workerId: "elif" },
      { type: "reject", workerId: "ben" },
      { type: "close", workerId: "cleo" },
      { type: "complete", organisation: "theirs", workerIds: ["amal"] },
      { type: "complete", organisation: ours, workerIds: ["amal", "ben"] },
      { type: "complete", organisation: ours, workerIds: ["amal", "elif", "amal"] },
      { type: "complete", organisation: ours, workerIds: ["amal"] },
      { type: "reject", workerId: "amal" },
      { type: "withdraw", organisation: "theirs" },
      { type: "withdraw", organisation: ours },
      { type: "withdraw", organisation: ours },
      { type: "apply", workerId: "cleo" },
      { type: "complete", organisation: ours, workerIds: ["amal"] },
      { type: "open", workerId: "ben" },
    ] satisfies Plan[]
  ).map((each) => new Act(0, each)),
];
