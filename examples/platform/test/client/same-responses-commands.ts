import { input } from "../../../../packages/client/test/contract/expectations.ts";
import {
  type ContractFixture,
  keys,
  type WorkerId,
  workers,
} from "../../../../packages/client/test/contract/fixture.ts";
import { fc } from "../../../../scripts/property-seed.ts";

/** A call or a worker's response. Offers are numbered in creation order. A number without an offer stands for an unknown offer. */
export type CallStep =
  | { type: "create"; body: unknown; apiKey: string; idempotencyKey?: string | undefined }
  | { type: "complete"; offer: number; body: unknown; apiKey: string; idempotencyKey?: string | undefined }
  | { type: "read" | "withdraw"; offer: number; apiKey: string; query: string }
  | { type: "respond"; offer: number; workerId: WorkerId; response: "applied" | "rejected" };

/** The response, with offer numbers instead of ids, and without the values that differ between services. */
export interface CallOutcome {
  status: number;
  body?: unknown;
  isReplay?: boolean;
}

const workerIds = Object.keys(workers) as WorkerId[];
/** The highest offer number that a step uses. */
const maxOfferNumber = 3;

/** A service under test, with the ids of the offers created there. */
export class ServiceUnderTest {
  readonly #fixture: ContractFixture;
  readonly #keySuffix: string;
  readonly #ids: string[] = [];

  /** @param keySuffix text that makes idempotency keys unique to a run, because services remember the keys */
  constructor(fixture: ContractFixture, keySuffix: string) {
    this.#fixture = fixture;
    this.#keySuffix = keySuffix;
  }

  async perform(step: CallStep): Promise<CallOutcome | string> {
    if (step.type === "create") {
      const outcome = await this.#call("POST", "/offer?api-version=1.0", step);
      const { id } = Object(outcome.body);
      // A replayed creation returns the id of an existing offer.
      if (typeof id === "string" && !this.#ids.includes(id)) this.#ids.push(id);
      return this.#makeComparable(outcome);
    }
    const id = this.#ids[step.offer] ?? "unknown";
    if (step.type === "respond") return this.#fixture.respond(id, step.workerId, step.response);
    if (step.type === "complete")
      return this.#makeComparable(await this.#call("POST", `/offer/${id}/complete?api-version=1.0`, step));
    const suffix = step.type === "withdraw" ? "/withdraw" : "";
    return this.#makeComparable(await this.#call("GET", `/offer/${id}${suffix}${step.query}`, step));
  }

  /**
   * Returns the reasons for the notifications of each worker about each offer that steps may have changed.
   *
   * @param counts how many notifications to wait for, for each pair of an offer and a worker
   */
  notifications(counts: readonly number[] = []): Promise<string[][]> {
    const pairs = this.#ids
      .slice(0, maxOfferNumber + 1)
      .flatMap((id) => workerIds.map((workerId) => [id, workerId] as const));
    return Promise.all(
      pairs.map(([id, workerId], index) => this.#fixture.notifications(id, workerId, counts[index] ?? 0)),
    );
  }

  async #call(
    method: string,
    path: string,
    { apiKey, body, idempotencyKey }: { apiKey: string; body?: unknown; idempotencyKey?: string | undefined },
  ): Promise<CallOutcome> {
    const response = await this.#fixture.fetch(this.#fixture.baseUrl + path, {
      method,
      headers: {
        "x-ue-api-subscription-key": apiKey,
        ...(method === "POST" && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": `${idempotencyKey} ${this.#keySuffix}` }),
      },
      ...(method === "POST" && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isReplay = response.headers.has("idempotency-replayed");
    return { status: response.status, isReplay, ...(text !== "" && { body: JSON.parse(text) }) };
  }

  /**
   * Replaces offer ids with offer numbers, and times and request ids with whether they are well-formed. Removes the recipients' ids.
   */
  #makeComparable(outcome: CallOutcome): CallOutcome {
    if (outcome.body === undefined) return outcome;
    const { id, createdAt, instance, recipients, ...rest } = Object(outcome.body);
    const body = {
      ...rest,
      ...(id !== undefined && { id: this.#ids.indexOf(id) }),
      ...(createdAt !== undefined && { createdAt: /^\d{4}-.*Z$/.test(createdAt) }),
      ...(instance !== undefined && { instance: /^urn:offers:request:[\da-f-]{36}$/.test(instance) }),
      ...(recipients && { recipients: recipients.map((recipient: object) => ({ ...recipient, id: undefined })) }),
    };
    return { ...outcome, body };
  }
}

const worker = fc.constantFrom(...workerIds);
const workerOrUnknown = fc.oneof({ weight: 9, arbitrary: worker }, fc.constantFrom("unknown", ""));
const apiKey = fc.oneof(
  { weight: 9, arbitrary: fc.constant(keys.harbour) },
  fc.constantFrom(...Object.values(keys), "x"),
);
const idempotencyKey = fc.constantFrom(undefined, undefined, "one", "two");
const offer = fc.nat({ max: maxOfferNumber });
const time = fc.constantFrom(
  ...["2099-05-01T16:00:00Z", "2099-05-01T22:00:00+00:00", "2020-01-01T00:00:00Z"],
  ...["2099-02-30T00:00:00Z", "2099-05-01T16:00Z", "2099-05-01t18:00:00+02:00", "soon", 7],
);
/** Generates mostly valid values, because the platform would reject almost every creation if many fields were random. */
const mostlyValid = <T>(valid: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: valid }, fc.jsonValue());
const creation = fc.oneof(
  { weight: 4, arbitrary: fc.uniqueArray(worker, { minLength: 1 }).map((workerIds) => ({ ...input, workerIds })) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        createdByUserId: mostlyValid(fc.constantFrom("user_hana", "user_hana", "user_ada", "user_bo")),
        title: mostlyValid(fc.string({ unit: "binary" })),
        details: mostlyValid(fc.string()),
        locationPlaceId: mostlyValid(fc.string({ maxLength: 600, size: "max" })),
        notifyEmailAddress: mostlyValid(fc.oneof(fc.emailAddress(), fc.string())),
        workerIds: mostlyValid(fc.array(workerOrUnknown, { maxLength: 4 })),
        events: mostlyValid(fc.array(fc.record({ start: time, end: time }, { requiredKeys: [] }), { maxLength: 3 })),
        titel: fc.constant("x"),
      },
      { requiredKeys: ["createdByUserId", "title", "workerIds"] },
    ),
  },
  fc.jsonValue(),
);
const query = fc.constantFrom("", "?api-version=1.0", "?api-version=1.0", "?api-version=2.0");

/** Generates arbitrary sequences of calls and responses by arbitrary actors. */
export const callSteps: fc.Arbitrary<CallStep[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant("create" as const), body: creation, apiKey, idempotencyKey }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant("complete" as const),
        offer,
        apiKey,
        idempotencyKey,
        body: mostlyValid(fc.array(workerOrUnknown, { maxLength: 3 })),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant("read" as const), offer, apiKey, query }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("withdraw" as const), offer, apiKey, query }) },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant("respond" as const),
        offer,
        workerId: worker,
        response: fc.constantFrom("applied" as const, "applied" as const, "rejected"),
      }),
    },
  ),
  { minLength: 10, maxLength: 40, size: "max" },
);

const harbourDefaults = { apiKey: keys.harbour, query: "?api-version=1.0" };
const amalApplies = { type: "respond", offer: 0, workerId: "worker_amal", response: "applied" } as const;
const completion = { type: "complete", offer: 0, body: ["worker_amal"], ...harbourDefaults } as const;

/** A sequence in which each kind of step succeeds once and is rejected for each reason. Every run includes it. */
export const callScenario: CallStep[] = [
  { type: "create", body: input, idempotencyKey: "one", ...harbourDefaults },
  { type: "create", body: input, idempotencyKey: "one", ...harbourDefaults },
  { type: "create", body: { ...input, title: "Another" }, idempotencyKey: "one", ...harbourDefaults },
  { type: "create", body: { ...input, title: "", workerIds: ["unknown"] }, ...harbourDefaults },
  { type: "create", body: input, apiKey: "x" },
  { ...completion },
  { ...amalApplies },
  { ...amalApplies, workerId: "worker_dana" },
  { ...completion, body: [] },
  { ...completion, apiKey: keys.bistro },
  { ...completion, idempotencyKey: "two" },
  { ...completion, idempotencyKey: "two" },
  { ...completion },
  { ...amalApplies, response: "rejected" },
  { type: "read", offer: 0, ...harbourDefaults },
  { type: "read", offer: 0, ...harbourDefaults, query: "?api-version=2.0" },
  { type: "read", offer: 1, ...harbourDefaults },
  { type: "withdraw", offer: 0, ...harbourDefaults },
  { type: "withdraw", offer: 0, ...harbourDefaults },
  { ...completion },
  { ...amalApplies },
  { type: "read", offer: 0, ...harbourDefaults },
];
