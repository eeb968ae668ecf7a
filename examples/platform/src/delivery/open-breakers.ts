import type { Store } from "../store/store.ts";
import type { PendingDelivery } from "./pending-delivery.ts";

const freshMs = 200;
const nextTurnMs = 1_000;

export interface OpenBreakersOptions {
  store: Store;
  /** How long one probe may take, its settling included. After that its process counts as dead. */
  probeMs: number;
  now: () => Date;
}

/** The breakers of all endpoints, over all processes (D-72). The rows are the truth; what is remembered spares claims. */
export class OpenBreakers {
  readonly #options: OpenBreakersOptions;
  #organisationIds: readonly string[] = [];
  #freshUntil = 0;

  constructor(options: OpenBreakersOptions) {
    this.#options = options;
  }

  /** Endpoints that nothing is attempted at now; known a moment late what other processes found out. */
  async organisationIds(): Promise<readonly string[]> {
    if (performance.now() < this.#freshUntil) return this.#organisationIds;
    const { store, now } = this.#options;
    const rows = await store.db
      .selectFrom("endpoints")
      .select("organisation_id as id")
      .where("breaker_open_until", ">", now())
      .execute();
    this.#organisationIds = rows.map(({ id }) => id);
    this.#freshUntil = performance.now() + freshMs;
    return this.#organisationIds;
  }

  /** Something has changed: the next question is put to the store. */
  forget(): void {
    this.#freshUntil = 0;
  }

  /** What may become of a delivery that was claimed: a probe is the one attempt after a pause, over all processes. */
  async turnOf(delivery: PendingDelivery): Promise<"attempt" | "probe" | "wait"> {
    const { organisation_id: organisationId, breaker_open_until: openUntil } = delivery;
    if (openUntil === null) return "attempt";
    const { store, now, probeMs } = this.#options;
    const at = now();
    if (openUntil > at) return "wait";
    const taken = await store.db
      .updateTable("endpoints")
      .set({ breaker_open_until: new Date(at.getTime() + probeMs) })
      .where("organisation_id", "=", organisationId)
      .where("breaker_open_until", "<=", at)
      .returning("organisation_id")
      .executeTakeFirst();
    this.forget();
    return taken === undefined ? "wait" : "probe";
  }

  /** When to look again at a job that has to wait: soon, since a probe that is acknowledged ends the pause early. */
  nextTurn(): Date {
    return new Date(this.#options.now().getTime() + nextTurnMs);
  }
}
