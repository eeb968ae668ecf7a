import { expect } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import {
  OfferHistory,
  type OfferOutcome,
  type OfferSnapshot,
  type OfferStep,
  type Organisation,
} from "./offer-history.ts";
import { findBrokenInvariants } from "./offer-invariants.ts";

/** All workers. Each offer is sent to some of them. */
export const workerIds = ["amal", "ben", "cleo", "dana", "elif"] as const;

/** Offers in the pure module or in the store, numbered in creation order. */
export interface OffersUnderTest {
  create(workerIds: readonly string[]): Promise<void>;
  act(offerNumber: number, step: OfferStep): Promise<OfferOutcome>;
  /** Returns a snapshot of every offer. */
  readSnapshots(): Promise<OfferSnapshot[]>;
}

/** The histories of all offers and their latest snapshots. */
export interface Model {
  histories: OfferHistory[];
  snapshots: OfferSnapshot[];
  /** Called with the type of each step and its outcome. */
  onOutcome: (stepType: OfferStep["type"], outcome: OfferOutcome) => void;
}

/** A planned step. A completion can refer to the workers who will have applied by then, because random ids are nearly always rejected. */
type Plan =
  | OfferStep
  | { type: "complete"; organisation: Organisation; workerIds: "first applicant" | "all applicants" };

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
    await compareWithModel(model, real);
  }
  toString = () => `create for ${this.#workerIds.join(" ")}`;
}

class Act implements OfferCommand {
  readonly #offerNumber: number;
  readonly #plan: Plan;
  /** @param offerNumber any number; the remainder of its division by the number of offers is used */
  constructor(offerNumber: number, plan: Plan) {
    this.#offerNumber = offerNumber;
    this.#plan = plan;
  }
  check = ({ histories }: Readonly<Model>) => histories.length > 0;
  async run(model: Model, real: OffersUnderTest): Promise<void> {
    const { histories, snapshots } = model;
    const offer = this.#offerNumber % histories.length;
    const history = histories[offer] as OfferHistory;
    const step = resolveStep(this.#plan, snapshots[offer] as OfferSnapshot);
    const expected = history.judge(step);
    expect(await real.act(offer, step)).toBe(expected);
    model.onOutcome(step.type, expected);
    if (expected === "done") history.add(step);
    await compareWithModel(model, real);
    // A rejected step changes nothing, and neither does opening or closing the offer page. No step changes a different offer.
    const isInert = expected !== "done" || step.type === "open" || step.type === "close";
    const selectUntouched = (snapshots: OfferSnapshot[]) => snapshots.filter((_, index) => isInert || index !== offer);
    expect(selectUntouched(model.snapshots)).toEqual(selectUntouched(snapshots));
  }
  toString = () => `offer ${this.#offerNumber}: ${JSON.stringify(this.#plan)}`;
}

/** Replaces a reference to applicants with the ids of the workers who have applied. */
function resolveStep(plan: Plan, { recipients }: OfferSnapshot): OfferStep {
  if (plan.type !== "complete" || typeof plan.workerIds !== "string") return plan as OfferStep;
  const applicants = recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  return { ...plan, workerIds: plan.workerIds === "all applicants" ? applicants : applicants.slice(0, 1) };
}

/** Reads new snapshots into the model, and asserts that they equal the model and keep the invariants. */
async function compareWithModel(model: Model, real: OffersUnderTest): Promise<void> {
  const before = model.snapshots;
  model.snapshots = await real.readSnapshots();
  expect(model.snapshots).toEqual(model.histories.map((history) => history.snapshot(workerIds)));
  expect(
    before.flatMap((snapshot, index) => findBrokenInvariants(snapshot, model.snapshots[index] as OfferSnapshot)),
  ).toEqual([]);
}

const worker = fc.constantFrom(...workerIds);
/** Generates worker ids, including an unknown id. */
const workerOrUnknown = fc.constantFrom(...workerIds, "unknown");
const organisation = fc.constantFrom<Organisation[]>("ours", "ours", "ours", "theirs");

const completedWorkers = fc.oneof(
  fc.constantFrom("first applicant" as const, "all applicants" as const),
  fc.array(workerOrUnknown, { maxLength: 3 }),
);

const plan: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("apply" as const), workerId: worker }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom("open" as const, "reject", "close"), workerId: worker }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant("complete" as const), organisation, workerIds: completedWorkers }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("withdraw" as const), organisation }) },
);
const create = fc.array(worker, { minLength: 1, maxLength: 6 }).map((ids) => new Create(ids));
const act = fc.tuple(fc.nat({ max: 2 }), plan).map(([offerNumber, offerPlan]) => new Act(offerNumber, offerPlan));

/** Generates arbitrary sequences of steps by arbitrary actors. */
export const offerCommands = (maxCommands: number) =>
  fc.commands([create, act, act, act, act, act, act], { maxCommands, size: "max" });

const ours = "ours" as const;

/** A sequence in which each kind of step succeeds, is repeated, or is rejected. */
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
  ).map((offerPlan) => new Act(0, offerPlan)),
];
