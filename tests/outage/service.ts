import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { openPlatform, type PlatformUnderTest } from "../../examples/platform/test/support/platform-under-test.ts";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";

/** Identifies the organisation whose receiver is down. */
export const apiKey = "demo-key-harbour";
const personEmail = "hana@harbour-hotels.example";
/** The platform's retry schedule, which is shorter than most outages. */
const retrySchedule = { delaysMs: [20, 40], jitter: 0, maxRetryAfterMs: 0 };
const dayMs = 24 * 60 * 60 * 1_000;

interface ServiceOptions {
  database: TestDatabase;
  secret: string;
  /** Whether retention preserves the deliveries since the receiver last caught up. Without the feed, it needs only the current state. */
  keepsMissedDeliveries: boolean;
}

/** The reference platform, with methods that restart it and register or disable the receiver's endpoint. */
export class Service {
  /** The time up to which the receiver has caught up. */
  caughtUpAt = Date.now();
  readonly #options: ServiceOptions;
  #platform: PlatformUnderTest | undefined;

  private constructor(options: ServiceOptions) {
    this.#options = options;
  }

  static async open(options: ServiceOptions): Promise<Service> {
    const service = new Service(options);
    await service.#open();
    return service;
  }

  get platform(): PlatformUnderTest {
    if (!this.#platform) throw new Error("the platform is closed");
    return this.#platform;
  }

  /** Registers the endpoint in the company profile. That enables a disabled endpoint and closes the circuit breaker. */
  async register(port: number): Promise<void> {
    const { status, text } = await this.#callPortal("PUT", "/portal/profile", {
      baseAddress: `http://127.0.0.1:${port}`,
      secret: this.#options.secret,
      scheme: "timestampDigestAndStandardWebhooks",
      suggestsContacts: false,
    });
    if (status >= 300) throw new Error(`registering the endpoint failed: ${status} ${text}`);
  }

  /**
   * Serves 410 in place of the receiver until the platform has disabled the endpoint.
   *
   * @param respond makes a worker respond, which causes a delivery
   */
  async disableEndpoint(port: number, respond: () => Promise<void>): Promise<void> {
    const goneServer = createServer((_request, response) => response.writeHead(410).end()).listen(port, "127.0.0.1");
    await once(goneServer, "listening");
    await respond();
    while (!(await this.#isDisabled())) await pause(20);
    goneServer.closeAllConnections();
    goneServer.close();
  }

  /**
   * Restarts the platform, which purges expired rows when it starts.
   *
   * @returns how many dead letters were purged
   */
  async restartAndPurge(): Promise<number> {
    const idsBefore = await this.#readDeadLetterIds();
    await this.close();
    await this.#open();
    let remainingIds = idsBefore;
    for (let unchangedReads = 0; unchangedReads < 3; ) {
      await pause(50);
      const ids = await this.#readDeadLetterIds();
      unchangedReads = ids.length === remainingIds.length ? unchangedReads + 1 : 0;
      remainingIds = ids;
    }
    return idsBefore.filter((id) => !remainingIds.includes(id)).length;
  }

  async close(): Promise<void> {
    await this.#platform?.close();
    this.#platform = undefined;
  }

  async #open(): Promise<void> {
    const { database, keepsMissedDeliveries } = this.#options;
    const getDeliveryDays = (): number => (keepsMissedDeliveries ? (Date.now() - this.caughtUpAt) / dayMs : 0);
    this.#platform = await openPlatform(database, {
      retrySchedule,
      logLevel: "error",
      retention: {
        // The platform reads this setting whenever it purges rows, so it follows `caughtUpAt`.
        get deliveryDays() {
          return getDeliveryDays();
        },
        contentDays: 30,
      },
    });
  }

  async #isDisabled(): Promise<boolean> {
    const { json } = await this.#callPortal("GET", "/portal/profile");
    return json<{ health: { disabledAt: string | null } }>().health.disabledAt !== null;
  }

  /** Reads the ids of the newest hundred dead letters. */
  async #readDeadLetterIds(): Promise<string[]> {
    const { json } = await this.#callPortal("GET", "/portal/deliveries?state=dead");
    return json<{ deliveries: { id: string }[] }>().deliveries.map(({ id }) => id);
  }

  async #callPortal(method: string, path: string, json?: object) {
    const token = await this.platform.signInPerson(personEmail);
    return this.platform.call(method, path, { token, ...(json && { json }) });
  }
}
