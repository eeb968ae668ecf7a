import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { createSigner } from "../../examples/platform/src/endpoint-client/send-signed.ts";
import { openLeases } from "../../examples/platform/src/outbox/leases.ts";
import type { Loop } from "../../examples/platform/src/outbox/timers.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { openSignals } from "../../examples/platform/src/store/signals.ts";
import type { Store } from "../../examples/platform/src/store/store.ts";
import { startDelivery } from "../../examples/platform/src/webhooks/start-delivery.ts";
import type { ContractChecker } from "./contract-checker.ts";
import type { Network } from "./network.ts";
import { type Process, type Schedule, wallClock } from "./schedule.ts";

export const encryptionKey = new Uint8Array(32).fill(7);

/** After three failures, the next attempt is due in 15 minutes, which is too late unless a user restarts the schedule. */
const retrySchedule = { delaysMs: [500, 1_000, 900_000, 3_600_000, 7_200_000], jitter: 0, maxRetryAfterMs: 60_000 };

/** A pool of open stores, which processes reuse one after another. Opening a store is slow, because it checks the migrations. */
export class Stores {
  readonly #freeStores: Store[] = [];

  async open(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1)
      this.#freeStores.push(await openStore({ dataFolder: "unused", databaseUrl: "postgres://simulated/offers" }));
  }

  /**
   * Lends a store to a process. Its subscriptions end when the process stops.
   *
   * @param cleanups gets a function that returns the store
   */
  lend(process: Process, cleanups: (() => void)[]): Store {
    const store = this.#freeStores.pop();
    if (store === undefined) throw new Error("the scenario needs more stores than were opened");
    const unsubscribers: (() => void)[] = [];
    process.onStop.push(() => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    });
    cleanups.push(() => this.#freeStores.push(store));
    return {
      ...store,
      onCommit(publish) {
        const unsubscribe = store.onCommit(publish);
        unsubscribers.push(unsubscribe);
        return unsubscribe;
      },
    };
  }
}

interface PlatformOptions {
  schedule: Schedule;
  network: Network;
  checker: ContractChecker;
  store: Store;
  process: Process;
  onError: (error: unknown) => void;
}

/** Runs the delivery core of one platform process, assembled as in `startBackground`. */
export class Platform {
  readonly process: Process;
  isStopping = false;
  #delivery: Loop | undefined;
  #stopSteps: (() => Promise<unknown>)[] = [];

  constructor(options: PlatformOptions) {
    this.process = options.process;
    options.schedule.run(options.process, () => void this.#start(options).catch(options.onError));
  }

  async #start({ schedule, network, checker, store, process, onError }: PlatformOptions): Promise<void> {
    const now = (): Date => wallClock(schedule, process);
    const signals = openSignals(store, { onError });
    const leases = await this.#retryUntilDone(() => openLeases(store.background, { onError }), onError);
    this.#delivery = startDelivery({
      store: store.background,
      leases,
      signals,
      endpointClient: network.createEndpointClient(),
      sign: createSigner(now),
      encryptionKey,
      retrySchedule,
      breaker: { ...defaultBreakerPolicy, jitter: 0 },
      now,
      random: schedule.random,
      onError,
      onAttempt({ deliveryId, nextAttemptAt }) {
        const delayMs = nextAttemptAt && nextAttemptAt.getTime() - now().getTime();
        checker.recordNextAttempt(process, deliveryId, delayMs);
      },
      onEndpoint({ change, organisationId }) {
        if (change === "disabled") checker.recordDisabled(organisationId);
      },
    });
    this.#stopSteps = [() => this.#delivery?.stop() ?? Promise.resolve(), () => leases.stop(), () => signals.stop()];
  }

  /** Retries until the work succeeds, because a real process that cannot open its lease would be restarted. */
  async #retryUntilDone<T>(work: () => Promise<T>, onError: (error: unknown) => void): Promise<T> {
    for (;;)
      try {
        return await work();
      } catch (error) {
        onError(error);
      }
  }

  /** Stops gracefully, as after SIGTERM, in the order of `startPlatform`. */
  async stop(): Promise<void> {
    this.isStopping = true;
    // A step may fail because of a fault. The next steps must run anyway.
    for (const stop of this.#stopSteps) await stop().catch(() => undefined);
    this.process.stop();
  }
}
