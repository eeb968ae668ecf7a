import { input } from "../../../../packages/client/test/contract/expectations.ts";
import {
  type ContractFixture,
  keys,
  type WorkerId,
  workers,
} from "../../../../packages/client/test/contract/fixture.ts";
import { fc } from "../../../../scripts/property-seed.ts";

/** One call, or one worker's response. Offers are numbered in creation order; a higher number means an unknown offer. */
export type CallStep =
  | { type: "create"; body: unknown; apiKey: string; idempotencyKey?: string | undefined }
  | { type: "complete"; offer: number; body: unknown; apiKey: string; idempotencyKey?: string | undefined }
  | { type: "read" | "withdraw"; offer: number; apiKey: string; query: string }
  | { type: "respond"; offer: number; workerId: WorkerId; response: "applied" | "rejected" };

/** The response, with numbers instead of ids and without times that the service sets. */
export interface CallOutcome {
  status: number;
  body?: unknown;
  isReplay?: boolean;
}

const workerIds = Object.keys(workers) as WorkerId[];
/** The highest offer number that a step uses. */
const maxOffer = 3;

/** One service with the ids of the offers that were created there. */
export class Side {
  readonly #fixture: ContractFixture;
  readonly #keySuffix: string;
  readonly #ids: string[] = [];

  /** @param run a string that is unique per run, because a service remembers idempotency keys */
  constructor(fixture: ContractFixture, run: string) {
    this.#fixture = fixture;
    this.#keySuffix = run;
  }

  async perform(step: CallStep): Promise<CallOutcome | string> {
    if (step.type === "create") {
      const outcome = await this.#call("POST", "/offer?api-version=1.0", step);
      const { id } = Object(outcome.body);
      if (typeof id === "string" && !this.#ids.includes(id)) this.#ids.push(id);
      return this.#numbered(outcome);
    }
    const id = this.#ids[step.offer] ?? "unknown";
    if (step.type === "respond") return this.#fixture.respond(id, step.workerId, step.response);
    if (step.type === "complete")
      return this.#numbered(await this.#call("POST", `/offer/${id}/complete?api-version=1.0`, step));
    const suffix = step.type === "withdraw" ? "/withdraw" : "";
    return this.#numbered(await this.#call("GET", `/offer/${id}${suffix}${step.query}`, step));
  }

  /**
   * Returns the reasons of every worker's notifications about the offers that a step may have changed.
   *
   * @param counts how many notifications to wait for
   */
  notifications(counts: readonly number[] = []): Promise<string[][]> {
    const pairs = this.#ids
      .slice(0, maxOffer + 1)
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

  #numbered(outcome: CallOutcome): CallOutcome {
    if (outcome.body === undefined) return outcome;
    const { id, createdAt, instance, recipients, ...rest } = Object(outcome.body);
    const body = {
      ...rest,
      ...(id !== undefined && { id: this.#ids.indexOf(id) }),
      ...(createdAt !== undefined && { createdAt: /^\d{4}-.*Z$/.test(createdAt) }),
      ...(instance !== undefined && { instance: /^urn:offers:request:[\da-f-]{36}$/.test(instance) }),
      ...(recipients && { recipients: recipients.map((one: object) => ({ ...one, id: undefined })) }),
    };
    return { ...outcome, body };
  }
}

const worker = fc.constantFrom(...workerIds);
const named = fc.oneof({ weight: 9, arbitrary: worker }, fc.constantFrom("unknown", ""));
const apiKey = fc.oneof(
  { weight: 9, arbitrary: fc.constant(keys.harbour) },
  fc.constantFrom(...Object.values(keys), "x"),
);
const idempotencyKey = fc.constantFrom(undefined, undefined, "one", "two");
const offer = fc.nat({ max: maxOffer });
const time = fc.constantFrom(
  ...["2099-05-01T16:00:00Z", "2099-05-01T22:00:00+00:00", "2020-01-01T00:00:00Z"],
  ...["2099-02-30T00:00:00Z", "2099-05-01T16:00Z", "2099-05-01t18:00:00+02:00", "soon", 7],
);
/** Mostly generates valid values: with many random fields, hardly any creation would be accepted. */
const often = <T>(right: fc.Arbitrary<T>) => fc.oneof({ weight: 12, arbitrary: right }, fc.jsonValue());
const creation = fc.oneof(
  { weight: 4, arbitrary: fc.uniqueArray(worker, { minLength: 1 }).map((workerIds) => ({ ...input, workerIds })) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        createdByUserId: often(fc.constantFrom("user_hana", "user_hana", "user_ada", "user_bo")),
        title: often(fc.string({ unit: "binary" })),
        details: often(fc.string()),
        locationPlaceId: often(fc.string({ maxLength: 600, size: "max" })),
        notifyEmailAddress: often(fc.oneof(fc.emailAddress(), fc.string())),
        workerIds: often(fc.array(named, { maxLength: 4 })),
        events: often(fc.array(fc.record({ start: time, end: time }, { requiredKeys: [] }), { maxLength: 3 })),
        titel: fc.constant("x"),
      },
      { requiredKeys: ["createdByUserId", "title", "workerIds"] },
    ),
  },
  fc.jsonValue(),
);
const query = fc.constantFrom("", "?api-version=1.0", "?api-version=1.0", "?api-version=2.0");

/** Generates any sequence of calls and responses by any actors. */
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
        body: often(fc.array(named, { maxLength: 3 })),
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

const ours = { apiKey: keys.harbour, query: "?api-version=1.0" };
const amal = { type: "respond", offer: 0, workerId: "worker_amal", response: "applied" } as const;
const completion = { type: "complete", offer: 0, body: ["worker_amal"], ...ours } as const;

/** A sequence that every run includes, in which each step succeeds once and is rejected for each reason. */
export const callScenario: CallStep[] = [
  { type: "create", body: input, idempotencyKey: "one", ...ours },
  { type: "create", body: input, idempotencyKey: "one", ...ours },
  { type: "create", body: { ...input, title: "Another" }, idempotencyKey: "one", ...ours },
  { type: "create", body: { ...input, title: "", workerIds: ["unknown"] }, ...ours },
  { type: "create", body: input, apiKey: "x" },
  { ...completion },
  { ...amal },
  { ...amal, workerId: "worker_dana" },
  { ...completion, body: [] },
  { ...completion, apiKey: keys.bistro },
  { ...completion, idempotencyKey: "two" },
  { ...completion, idempotencyKey: "two" },
  { ...completion },
  { ...amal, response: "rejected" },
  { type: "read", offer: 0, ...ours },
  { type: "read", offer: 0, ...ours, query: "?api-version=2.0" },
  { type: "read", offer: 1, ...ours },
  { type: "withdraw", offer: 0, ...ours },
  { type: "withdraw", offer: 0, ...ours },
  { ...completion },
  { ...amal },
  { type: "read", offer: 0, ...ours },
];
