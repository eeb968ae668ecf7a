import { expect } from "vitest";
import { fc } from "../../../../tools/property-seed.ts";
import { type Deed, OfferHistory, type OfferPicture, type Organisation, type Verdict } from "./offer-history.ts";
import { brokenInvariants } from "./offer-invariants.ts";

/** Some of them are addressed by an offer, the others are strangers to it. */
export const workerIds = ["amal", "ben", "cleo", "dana", "elif"] as const;

/** What has offers: the pure module, or the store. Offers are numbered as they are created. */
export interface OffersUnderTest {
  create(workerIds: readonly string[]): Promise<void>;
  act(offer: number, deed: Deed): Promise<Verdict>;
  /** Of every offer there is. */
  pictures(): Promise<OfferPicture[]>;
}

/** The histories of all offers so far, and the last look at them. */
export interface Model {
  histories: OfferHistory[];
  seen: OfferPicture[];
  /** Told of each deed and what became of it. */
  onVerdict: (deed: Deed["type"], verdict: Verdict) => void;
}

/** A completion may name whoever applies when it comes to it: made-up names are refused nearly always. */
type Plan = Deed | { type: "complete"; organisation: Organisation; workerIds: "first who applies" | "all who apply" };

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
    await lookAgain(model, real);
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
    const deed = deedOf(this.#plan, seen[offer] as OfferPicture);
    const expected = history.judge(deed);
    expect(await real.act(offer, deed)).toBe(expected);
    model.onVerdict(deed.type, expected);
    if (expected === "done") history.add(deed);
    await lookAgain(model, real);
    // What is refused, and a mere look, changes nothing; nothing changes another offer.
    const isInert = expected !== "done" || deed.type === "open" || deed.type === "close";
    const untouched = (pictures: OfferPicture[]) => pictures.filter((_, index) => isInert || index !== offer);
    expect(untouched(model.seen)).toEqual(untouched(seen));
  }
  toString = () => `offer ${this.#number}: ${JSON.stringify(this.#plan)}`;
}

function deedOf(plan: Plan, { recipients }: OfferPicture): Deed {
  if (plan.type !== "complete" || typeof plan.workerIds !== "string") return plan as Deed;
  const applied = recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  return { ...plan, workerIds: plan.workerIds === "all who apply" ? applied : applied.slice(0, 1) };
}

async function lookAgain(model: Model, real: OffersUnderTest): Promise<void> {
  const before = model.seen;
  model.seen = await real.pictures();
  expect(model.seen).toEqual(model.histories.map((history) => history.picture(workerIds)));
  expect(before.flatMap((picture, index) => brokenInvariants(picture, model.seen[index] as OfferPicture))).toEqual([]);
}

const worker = fc.constantFrom(...workerIds);
/** Also one whom nobody knows. */
const named = fc.constantFrom(...workerIds, "nobody");
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

/** Any sequence of anything by anybody. */
export const offerCommands = (maxCommands: number) =>
  fc.commands([create, act, act, act, act, act, act], { maxCommands, size: "max" });

const ours = "ours" as const;

/** One sequence that no chance may leave out: every kind of deed done, repeated, and refused for every reason. */
export const offerStory: readonly OfferCommand[] = [
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
