import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import { openPlatformStore, platformMain } from "../../scripts/processes/platform-store.ts";
import { type StartedProcess, startProcess } from "../../scripts/processes/start-process.ts";

export type StoreName = "PGlite" | "PostgreSQL";

/** Enough organisations that the limit of eight concurrent attempts per endpoint does not delay deliveries. */
const organisationCount = 20;
const workerCount = 100;
/** The hash of `password` at scrypt's lowest cost. Every user and worker signs in, so a higher cost would take long. */
const passwordHash = "scrypt$2$1$1$MDEyMzQ1Njc4OWFiY2RlZg$6pWBhsd6g_qcmFKRz87Oj_855N3jJpYdf8ywpedkgC4";
const password = "demo-password";
const range = (count: number) => Array.from({ length: count }, (_, number) => number);

const seed = {
  organisations: range(organisationCount).map((n) => ({
    id: `org-${n}`,
    name: `Hirer ${n}`,
    kind: "hirer",
    apiKeys: [`bench-key-${n}`],
  })),
  people: range(organisationCount).map((n) => ({
    id: `person-${n}`,
    organisationId: `org-${n}`,
    name: `Hana ${n}`,
    emailAddresses: [`hana-${n}@bench.example`],
    passwordHash,
  })),
  workers: range(workerCount).map((n) => ({ id: `worker-${n}`, name: `Amal ${n}`, devices: ["ios"], passwordHash })),
};

/** Runs platform processes that share a store, as in production, and calls them over HTTP. */
export class BenchPlatform {
  /** When each delivery was acknowledged: the times at which the processes logged it, in milliseconds. */
  readonly acknowledgedAt: number[] = [];
  readonly #dispatcher = new Agent({ connections: 20 });
  readonly #env: NodeJS.ProcessEnv;
  readonly #removeStore: () => Promise<unknown>;
  readonly #processes: StartedProcess[] = [];
  #baseUrl = "";

  private constructor(env: NodeJS.ProcessEnv, removeStore: () => Promise<unknown>) {
    this.#env = env;
    this.#removeStore = removeStore;
  }

  static async start(store: StoreName): Promise<BenchPlatform> {
    const { env, remove } = await openPlatformStore(store === "PostgreSQL" ? "postgres" : "pglite", seed);
    const platform = new BenchPlatform({ ...env, NODE_ENV: "production" }, remove);
    platform.#baseUrl = await platform.addProcess();
    return platform;
  }

  /** Starts another process on the same store. @returns its URL */
  addProcess(): Promise<string> {
    const started = startProcess(process.execPath, [platformMain], {
      env: this.#env,
      onLine: (line) => {
        if (line.includes('"outcome":"acknowledged"')) this.acknowledgedAt.push(performance.now());
      },
    });
    this.#processes.push(started);
    return started.ready;
  }

  async call(method: "POST" | "PUT", path: string, headers: Record<string, string>, json?: unknown): Promise<unknown> {
    const { statusCode, body } = await request(this.#baseUrl + path, {
      dispatcher: this.#dispatcher,
      method,
      headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
      body: json === undefined ? null : JSON.stringify(json),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${method} ${path} returned ${statusCode}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Creates an offer from one of the organisations to the first `recipientCount` workers. @returns the offer's id */
  async createOffer(organisationIndex: number, recipientCount: number): Promise<string> {
    const workerIds = range(recipientCount).map((n) => `worker-${n}`);
    const offer = { createdByUserId: `person-${organisationIndex}`, title: "Bar", workerIds };
    const created = await this.call(
      "POST",
      "/offer",
      { "x-ue-api-subscription-key": `bench-key-${organisationIndex}` },
      offer,
    );
    return (created as { id: string }).id;
  }

  /**
   * Disables all endpoints with a 410, then records worker responses: `count`, rounded up to a multiple of {@link workerCount}. Their
   * webhooks are sent after the next call of `registerEndpoints`.
   */
  async recordEvents(count: number, receiverUrl: string): Promise<void> {
    await this.registerEndpoints(`${receiverUrl}/gone`);
    const tokens = await Promise.all(
      range(workerCount).map((n) => this.#signIn("/worker-app/session", { workerId: `worker-${n}` })),
    );
    for (let recorded = 0; recorded < count; recorded += workerCount) {
      const offerId = await this.createOffer((recorded / workerCount) % organisationCount, workerCount);
      await Promise.all(tokens.map((token) => this.call("POST", `/worker-app/offers/${offerId}/apply`, token)));
    }
  }

  /** Registers this URL as every organisation's endpoint. */
  async registerEndpoints(baseAddress: string): Promise<void> {
    for (const n of range(organisationCount)) {
      const token = await this.#signIn("/portal/session", { emailAddress: `hana-${n}@bench.example` });
      const profile = { baseAddress, secret: "a secret of some length", suggestsContacts: false };
      await this.call("PUT", "/portal/profile", token, profile);
    }
  }

  async #signIn(path: string, account: object): Promise<{ authorization: string }> {
    const { token } = (await this.call("POST", path, {}, { ...account, password })) as { token: string };
    return { authorization: `Bearer ${token}` };
  }

  async waitUntilAcknowledged(count: number): Promise<void> {
    const deadline = performance.now() + 60_000;
    while (this.acknowledgedAt.length < count) {
      if (performance.now() > deadline)
        throw new Error(`Only ${this.acknowledgedAt.length} of ${count} deliveries were acknowledged.`);
      await setTimeout(20);
    }
  }

  async stop(): Promise<void> {
    await this.#dispatcher.close();
    const codes = await Promise.all(this.#processes.map((process) => process.stop()));
    await this.#removeStore();
    if (codes.some((code) => code !== 0))
      throw new Error(`The platform processes exited with codes ${codes.join(", ")}.`);
  }
}
