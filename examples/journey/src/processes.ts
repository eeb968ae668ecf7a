import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Caller } from "./caller.ts";
import type { Context } from "./context.ts";
import { findFreePort } from "./free-port.ts";
import { Phone } from "./phone.ts";
import { type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";
import { Reporter } from "./reporter.ts";
import { type RunningProcess, startProcess } from "./start-process.ts";
import type { JourneyTraces } from "./tracing/journey-traces.ts";
import { TrafficLog } from "./traffic-log.ts";

const examples = resolve(import.meta.dirname, "../..");

export interface ProcessesOptions {
  /** The platform's dialect (D-51). */
  dialect: "reference" | "live";
  /** Whether the platform is killed with SIGKILL and restarted before every step. */
  killBetweenSteps: boolean;
  /** The launcher of an installed `@offers/sandbox`, to run instead of the platform's sources. */
  sandbox?: string | undefined;
  /** Collects the spans of the processes; undefined if the processes are not traced. */
  traces?: JourneyTraces | undefined;
}

/** Runs the three processes, the proxies between them, and the phones. */
export class Processes {
  readonly #traffic = new TrafficLog();
  readonly reporter = new Reporter(this.#traffic);
  readonly secret = randomBytes(24).toString("base64url");
  readonly #running = new Map<string, RunningProcess>();
  readonly #proxies: RecordingProxy[] = [];
  readonly #phones: Phone[] = [];
  readonly #options: ProcessesOptions;
  #platformEnv: Record<string, string> = {};
  #isStopping = false;

  constructor(options: ProcessesOptions) {
    this.#options = options;
  }

  /** Starts the processes and signs the workers in, with a reported step for each. */
  async start(): Promise<Context> {
    const { reporter, secret } = this;
    const { dialect, killBetweenSteps } = this.#options;
    const traffic = this.#traffic;
    reporter.scenario("Three processes on loopback");

    this.#platformEnv = {
      // Keep the port after a restart, so that the other processes can reconnect.
      PORT: String(await findFreePort(3000)),
      OFFERS_DATA: await mkdtemp(join(tmpdir(), "offers-journey-")),
      OFFERS_SEED: join(examples, "platform/seed/demo.json"),
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_SHOW_ALL_MAIL: "1",
      OFFERS_RETRY_SCHEDULE: "1s,1s,2s,5s,10s",
      // The rate limit is off because `eventually` polls twenty times a second.
      OFFERS_PERSON_RATE_LIMIT: "off",
      OFFERS_DIALECT: dialect,
    };
    const platform = await reporter.step("the platform starts", () => this.startPlatform());
    const platformProxy = await this.#startProxy("hirer", "platform", platform.url);
    const integrator = await reporter.step("an integrator starts", async () =>
      this.#startExample("integrator", { PORT: String(await findFreePort(3001)), WEBHOOK_SECRET: secret }),
    );
    const webhooks = await this.#startProxy("platform", "integrator", integrator.url);
    const hirer = await reporter.step("a hirer starts", async () =>
      this.#startExample("hirer", {
        PORT: String(await findFreePort(3002)),
        OFFERS_BASE_URL: platformProxy.url,
        OFFERS_API_KEY: "demo-key-harbour",
        OFFERS_USER_ID: "user_hana",
      }),
    );

    const [amal, ben, cleo] = ["worker_amal", "worker_ben", "worker_cleo"].map(
      (worker) => new Phone(traffic, worker, platform.url),
    );
    assert.ok(amal && ben && cleo);
    await reporter.step("Amal, Ben and Cleo sign in on their phones", async () => {
      for (const phone of [amal, ben, cleo]) {
        this.#phones.push(phone);
        assert.equal(await phone.signIn("demo-password"), 201);
        await phone.openStream();
      }
    });

    const killPlatform = async () => {
      await this.#running.get("platform")?.stop("SIGKILL");
      this.#running.delete("platform");
    };
    const startPlatform = async () => {
      if (!this.#running.has("platform")) await this.startPlatform();
    };
    if (killBetweenSteps)
      reporter.beforeStep = async () => {
        await killPlatform();
        await startPlatform();
      };
    return {
      reporter,
      hirer: new Caller(traffic, "shop floor", "hirer", hirer.url),
      integrator: new Caller(traffic, "back office", "integrator", integrator.url),
      hana: new Caller(traffic, "Hana", "platform", platform.url),
      bo: new Caller(traffic, "Bo", "platform", platform.url),
      anonymous: new Caller(traffic, "anonymous", "platform", platform.url),
      amal,
      ben,
      cleo,
      webhooks,
      profile: { baseAddress: `${webhooks.url}/offers/`, secret },
      statuses: dialect === "live" ? { conflict: 400, notFound: 204 } : { conflict: 409, notFound: 404 },
      killPlatform,
      startPlatform,
    };
  }

  /** Starts the platform. If it was killed, it starts with the same data and port. */
  async startPlatform(): Promise<RunningProcess> {
    const { sandbox, dialect } = this.#options;
    const { PORT = "", OFFERS_DATA = "" } = this.#platformEnv;
    if (sandbox === undefined) return this.#startExample("platform", this.#platformEnv);
    const options = ["--port", PORT, "--data", OFFERS_DATA, "--dialect", dialect];
    const process = await startProcess("platform", [sandbox, ...options], this.#tracingEnv("platform"));
    this.#running.set("platform", process);
    return process;
  }

  get running(): readonly RunningProcess[] {
    return [...this.#running.values()];
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Formats the last lines that each process printed, for the report of a failure. */
  formatLastLines(): string {
    return this.running.map(({ name, lastLines }) => `── ${name}\n${lastLines.join("\n")}`).join("\n");
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const phone of this.#phones) phone.disconnect();
    await Promise.all(this.running.map((process) => process.stop()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
    const { OFFERS_DATA: folder } = this.#platformEnv;
    if (folder) await rm(folder, { recursive: true });
  }

  async #startExample(name: string, env: Record<string, string>): Promise<RunningProcess> {
    const command = [join(examples, name, "src/main.ts")];
    const process = await startProcess(name, command, { ...env, ...this.#tracingEnv(name) });
    this.#running.set(name, process);
    return process;
  }

  #tracingEnv(service: string): Record<string, string> {
    return this.#options.traces?.getTracingEnvironment(service) ?? {};
  }

  async #startProxy(from: string, to: string, targetUrl: string): Promise<RecordingProxy> {
    const proxy = await startRecordingProxy(this.#traffic, { from, to, targetUrl });
    this.#proxies.push(proxy);
    return proxy;
  }
}
