import { setTimeout } from "node:timers/promises";
import { Agent, request } from "undici";
import { openPlatformStore, platformMain } from "../../scripts/processes/platform-store.ts";
import { type StartedProcess, startProcess } from "../../scripts/processes/start-process.ts";

export type StoreName = "PGlite" | "PostgreSQL";

/** Enough organisations that the limit of eight simultaneous attempts per endpoint delays nothing. */
const organisations = 20;
const workers = 100;
/** scrypt has its lowest cost, because every user and worker signs in. */
const passwordHash = "scrypt$2$1$1$MDEyMzQ1Njc4OWFiY2RlZg$6pWBhsd6g_qcmFKRz87Oj_855N3jJpYdf8ywpedkgC4";
const password = "demo-password";
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);

const seed = {
  organisations: numbers(organisations).map((n) => ({
    id: `org-${n}`,
    name: `Hirer ${n}`,
    kind: "hirer",
    apiKeys: [`bench-key-${n}`],
  })),
  people: numbers(organisations).map((n) => ({
    id: `person-${n}`,
    organisationId: `org-${n}`,
    name: `Hana ${n}`,
    emailAddresses: [`hana-${n}@bench.example`],
    passwordHash,
  })),
  workers: numbers(workers).map((n) => ({ id: `worker-${n}`, name: `Amal ${n}`, devices: ["ios"], passwordHash })),
};

/** The platform as in production: processes that share a store, used only through HTTP. */
export class BenchPlatform {
  /** When each delivery was acknowledged, from the lines that the processes log. */
  readonly acknowledged: number[] = [];
  readonly #dispatcher = new Agent({ connections: 20 });
  readonly #env: NodeJS.ProcessEnv;
  readonly #remove: () => Promise<unknown>;
  readonly #processes: StartedProcess[] = [];
  #address = "";

  private constructor(env: NodeJS.ProcessEnv, remove: () => Promise<unknown>) {
    this.#env = env;
    this.#remove = remove;
  }

  static async start(store: StoreName): Promise<BenchPlatform> {
    const { env, remove } = await openPlatformStore(store === "PostgreSQL" ? "postgres" : "pglite", seed);
    const platform = new BenchPlatform({ ...env, NODE_ENV: "production" }, remove);
    platform.#address = await platform.addProcess();
    return platform;
  }

  /** @returns its address */
  addProcess(): Promise<string> {
    const started = startProcess(process.execPath, [platformMain], {
      env: this.#env,
      onLine: (line) => {
        if (line.includes('"outcome":"acknowledged"')) this.acknowledged.push(performance.now());
      },
    });
    this.#processes.push(started);
    return started.ready;
  }

  async call(method: "POST" | "PUT", path: string, headers: Record<string, string>, json?: unknown): Promise<unknown> {
    const { statusCode, body } = await request(this.#address + path, {
      dispatcher: this.#dispatcher,
      method,
      headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
      body: json === undefined ? null : JSON.stringify(json),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`${method} ${path} got ${statusCode}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** Creates an offer of one of the organisations. @returns its id */
  async createOffer(organisation: number, recipients: number): Promise<string> {
    const workerIds = numbers(recipients).map((n) => `worker-${n}`);
    const offer = { createdByUserId: `person-${organisation}`, title: "Bar", workerIds };
    const created = await this.call(
      "POST",
      "/offer",
      { "x-ue-api-subscription-key": `bench-key-${organisation}` },
      offer,
    );
    return (created as { id: string }).id;
  }

  /** Records responses of workers to offers. Their webhooks are held until `openEndpoints`, because 410 disables an endpoint. */
  async recordEvents(count: number, receiver: string): Promise<void> {
    await this.openEndpoints(`${receiver}/gone`);
    const tokens = await Promise.all(
      numbers(workers).map((n) => this.#signIn("/worker-app/session", { workerId: `worker-${n}` })),
    );
    for (let made = 0; made < count; made += workers) {
      const offer = await this.createOffer((made / workers) % organisations, workers);
      await Promise.all(tokens.map((token) => this.call("POST", `/worker-app/offers/${offer}/apply`, token)));
    }
  }

  /** Registers this URL as the endpoint of every organisation. */
  async openEndpoints(baseAddress: string): Promise<void> {
    for (const n of numbers(organisations)) {
      const token = await this.#signIn("/portal/session", { emailAddress: `hana-${n}@bench.example` });
      const profile = { baseAddress, secret: "a secret of some length", suggestsContacts: false };
      await this.call("PUT", "/portal/profile", token, profile);
    }
  }

  async #signIn(path: string, who: object): Promise<{ authorization: string }> {
    const { token } = (await this.call("POST", path, {}, { ...who, password })) as { token: string };
    return { authorization: `Bearer ${token}` };
  }

  async untilAcknowledged(count: number): Promise<void> {
    const giveUpAt = performance.now() + 60_000;
    while (this.acknowledged.length < count) {
      if (performance.now() > giveUpAt) throw new Error(`${this.acknowledged.length} of ${count} were acknowledged.`);
      await setTimeout(20);
    }
  }

  async stop(): Promise<void> {
    await this.#dispatcher.close();
    const codes = await Promise.all(this.#processes.map((started) => started.stop()));
    await this.#remove();
    if (codes.some((code) => code !== 0)) throw new Error(`A process of the platform exited with ${codes.join(", ")}.`);
  }
}
