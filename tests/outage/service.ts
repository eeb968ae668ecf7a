import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { openPlatform, type PlatformUnderTest } from "../../examples/platform/test/support/platform-under-test.ts";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";

/** The organisation whose receiver is down. */
export const apiKey = "demo-key-harbour";
const person = "hana@harbour-hotels.example";
/** Short enough that an outage outlasts it. */
const retrySchedule = { delaysMs: [20, 40], jitter: 0, maxRetryAfterMs: 0 };
const dayMs = 24 * 60 * 60 * 1_000;

interface ServiceOptions {
  database: TestDatabase;
  secret: string;
  /** Whether retention spares what the receiver has not caught up with. The feed keeps events until retention; GetOffer keeps the state. */
  sparesMissed: boolean;
}

/** The reference platform, which restarts and purges, and whose endpoint is disabled and registered again. */
export class Service {
  /** The receiver has caught up to this time. */
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

  /** Registers the endpoint on the company profile. That enables a disabled endpoint, and ends a pause of the circuit breaker. */
  async register(port: number): Promise<void> {
    const { status, text } = await this.#callPortal("PUT", "/portal/profile", {
      baseAddress: `http://127.0.0.1:${port}`,
      secret: this.#options.secret,
      scheme: "timestampDigestAndStandardWebhooks",
      suggestsContacts: false,
    });
    if (status >= 300) throw new Error(`the endpoint is not registered: ${status} ${text}`);
  }

  /**
   * Serves 410 in place of a receiver that was healthy, until the platform has disabled the endpoint.
   *
   * @param respond causes a delivery
   */
  async disableEndpoint(port: number, respond: () => Promise<void>): Promise<void> {
    const gone = createServer((_request, response) => response.writeHead(410).end()).listen(port, "127.0.0.1");
    await once(gone, "listening");
    await respond();
    while (!(await this.#isDisabled())) await pause(20);
    gone.closeAllConnections();
    gone.close();
  }

  /**
   * Restarts the platform, which purges expired rows when it starts.
   *
   * @returns how many dead letters were purged
   */
  async restartAndPurge(): Promise<number> {
    const before = await this.#readDeadLetters();
    await this.close();
    await this.#open();
    let left = before;
    for (let same = 0; same < 3; ) {
      await pause(50);
      const now = await this.#readDeadLetters();
      same = now.length === left.length ? same + 1 : 0;
      left = now;
    }
    return before.filter((id) => !left.includes(id)).length;
  }

  async close(): Promise<void> {
    await this.#platform?.close();
    this.#platform = undefined;
  }

  async #open(): Promise<void> {
    const { database, sparesMissed } = this.#options;
    const deliveryDays = (): number => (sparesMissed ? (Date.now() - this.caughtUpAt) / dayMs : 0);
    this.#platform = await openPlatform(database, {
      retrySchedule,
      logLevel: "error",
      retention: {
        get deliveryDays() {
          return deliveryDays();
        },
        contentDays: 30,
      },
    });
  }

  async #isDisabled(): Promise<boolean> {
    const { json } = await this.#callPortal("GET", "/portal/profile");
    return json<{ health: { disabledAt: string | null } }>().health.disabledAt !== null;
  }

  /** The ids of the newest hundred. */
  async #readDeadLetters(): Promise<string[]> {
    const { json } = await this.#callPortal("GET", "/portal/deliveries?state=dead");
    return json<{ deliveries: { id: string }[] }>().deliveries.map(({ id }) => id);
  }

  async #callPortal(method: string, path: string, json?: object) {
    const token = await this.platform.signInPerson(person);
    return this.platform.call(method, path, { token, ...(json && { json }) });
  }
}
