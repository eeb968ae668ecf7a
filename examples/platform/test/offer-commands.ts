import fc from "fast-check";
import { expect } from "vitest";
import { type Deed, OfferHistory, type OfferPicture, type Verdict } from "./offer-history.ts";
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
  readonly #deed: Deed;
  constructor(number: number, deed: Deed) {
    this.#number = number;
    this.#deed = deed;
  }
  check = ({ histories }: Readonly<Model>) => histories.length > 0;
  async run(model: Model, real: OffersUnderTest): Promise<void> {
    const { histories, seen } = model;
    const offer = this.#number % histories.length;
    const history = histories[offer] as OfferHistory;
    const expected = history.judge(this.#deed);
    expect(await real.act(offer, this.#deed)).toBe(expected);
    model.onVerdict(this.#deed.type, expected);
    if (expected === "done") history.add(this.#deed);
    await lookAgain(model, real);
    // What is refused, and a mere look, changes nothing; nothing changes another offer.
    const isInert = expected !== "done" || this.#deed.type === "open" || this.#deed.type === "close";
    const untouched = (pictures: OfferPicture[]) => pictures.filter((_, index) => isInert || index !== offer);
    expect(untouched(model.seen)).toEqual(untouched(seen));
  }
  toString = () => `offer ${this.#number}: ${JSON.stringify(this.#deed)}`;
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
const organisation = fc.constantFrom("ours", "ours", "ours", "theirs") as fc.Arbitrary<"ours" | "theirs">;

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("apply" as const), workerId: worker }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constantFrom("open" as const, "reject", "close"), workerId: worker }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("complete" as const),
      organisation,
      workerIds: fc.array(named, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("withdraw" as const), organisation }) },
);
const create = fc.array(worker, { minLength: 1, maxLength: 6 }).map((ids) => new Create(ids));
const act = fc.tuple(fc.nat({ max: 2 }), deed).map(([number, each]) => new Act(number, each));

/** Any sequence of anything by anybody. */
export const offerCommands = (maxCommands: number) =>
  fc.commands([create, act, act, act, act, act, act], { maxCommands, size: "max" });
