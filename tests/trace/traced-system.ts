import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Middleware } from "@offers/client";
import { TracedOffersClient } from "@offers/client/opentelemetry";
import { type CollectedSpan, type Collector, getAttribute } from "../../examples/journey/src/tracing/collector.ts";
import { callProcess, signIn } from "../../examples/platform/test/process/call-process.ts";
import { startProcess as startPlatform } from "../../examples/platform/test/support/platform-process.ts";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { testSeed } from "../../examples/platform/test/support/test-seed.ts";
import { findFreePort } from "../../scripts/processes/free-port.ts";
import { runCommand } from "../../scripts/processes/run-command.ts";
import { startProcess } from "../../scripts/processes/start-process.ts";

export type Service = "platform" | "receiver" | "worker";

/** The settings that `preload.ts` reads from the environment. */
export interface TraceSettings {
  service: Service;
  collector: string;
  /**
   * Whether the HTTP instrumentation creates a span for each request to the process, and whether that span continues the sender's trace.
   */
  instrumentation: "none" | "sender's trace" | "own trace";
}

export interface ReceiverSetup {
  port: number;
  secret: string;
  sender: "parent" | "link" | "ignore";
  /** Whether it responds to the first webhook of each offer with 500. */
  failsFirst: boolean;
}

export interface SystemOptions {
  collector: Collector;
  /** The platform's database. */
  database: TestDatabase;
  /** The database of the receiver and its worker, which is empty. */
  databaseUrl: string;
  retrySchedule: string;
  failsFirst?: boolean;
}

interface RunningProcess {
  readonly pid: number;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

const preload = join(import.meta.dirname, "preload.ts");
const worker = join(import.meta.dirname, "../../examples/worker/src");
const apiKey = "demo-key-harbour";

/** Runs a platform, a receiver and its queue worker, each as a process with OpenTelemetry's SDK. The test itself is the hirer. */
export class TracedSystem {
  readonly #options: SystemOptions;
  readonly #processes = new Map<Service, RunningProcess>();
  /** The process ids that `kill` has killed. */
  readonly killed = new Set<number>();
  readonly #receiver: ReceiverSetup;
  #platformAddress = "";
  #tokens = { hana: "", amal: "" };

  private constructor(options: SystemOptions, port: number) {
    const { failsFirst = false } = options;
    this.#options = options;
    this.#receiver = { port, secret: randomUUID(), sender: "parent", failsFirst };
  }

  static async start(options: SystemOptions): Promise<TracedSystem> {
    const system = new TracedSystem(options, await findFreePort());
    try {
      await system.#start();
      return system;
    } catch (error) {
      await system.close();
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { databaseUrl: DATABASE_URL } = this.#options;
    const env = { ...process.env, DATABASE_URL };
    await runCommand(process.execPath, ["--no-warnings", "migrate.ts"], { cwd: worker, env });
    await Promise.all([this.startPlatform(), this.startReceiver(), this.#startWorker()]);
    const address = this.#platformAddress;
    const hana = await signIn(address, "/portal/session", { emailAddress: "hana@harbour-hotels.example" });
    this.#tokens = { hana, amal: await signIn(address, "/worker-app/session", { workerId: "worker_amal" }) };
    await this.#saveProfile();
  }

  async startPlatform(): Promise<void> {
    const { database, retrySchedule } = this.#options;
    const { child, exited, waitForAddress } = startPlatform(database, {
      OFFERS_SEED: testSeed,
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_RETRY_SCHEDULE: retrySchedule,
      OFFERS_RATE_LIMIT: "off",
      OFFERS_PERSON_RATE_LIMIT: "off",
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${preload}`,
      ...this.#createTraceSettings("platform"),
    });
    const kill = async () => {
      child.kill("SIGKILL");
      await exited;
    };
    this.#processes.set("platform", { pid: child.pid ?? 0, kill });
    this.#platformAddress = await waitForAddress();
  }

  async startReceiver(
    sender: ReceiverSetup["sender"] = "parent",
    instrumentation: TraceSettings["instrumentation"] = "none",
  ): Promise<void> {
    const setup: ReceiverSetup = { ...this.#receiver, sender };
    await this.#startProgram("receiver", join(import.meta.dirname, "receiver.ts"), /receiver listening on (\S+)/, {
      RECEIVER: JSON.stringify(setup),
      ...this.#createTraceSettings("receiver", instrumentation),
    });
  }

  #startWorker(): Promise<void> {
    const env = { LEASE_SECONDS: "1", ...this.#createTraceSettings("worker") };
    return this.#startProgram("worker", join(worker, "worker.ts"), /(worker is waiting)/, env);
  }

  async #startProgram(service: Service, file: string, ready: RegExp, env: Record<string, string>): Promise<void> {
    const args = ["--disable-warning=ExperimentalWarning", `--import=${preload}`, file];
    const { databaseUrl: DATABASE_URL } = this.#options;
    const started = startProcess(process.execPath, args, { ready, env: { ...process.env, DATABASE_URL, ...env } });
    const kill = async () => void (await started.stop("SIGKILL"));
    this.#processes.set(service, { pid: started.child.pid ?? 0, kill });
    await started.ready;
  }

  #createTraceSettings(service: Service, instrumentation: TraceSettings["instrumentation"] = "none") {
    const settings: TraceSettings = {
      service,
      collector: this.#options.collector.url,
      instrumentation,
    };
    return { TRACE_SETTINGS: JSON.stringify(settings) };
  }

  /** Kills a process with SIGKILL. */
  async kill(service: Service): Promise<void> {
    const running = this.#processes.get(service);
    if (!running) return;
    this.#processes.delete(service);
    this.killed.add(running.pid);
    await running.kill();
  }

  async close(): Promise<void> {
    for (const { kill } of this.#processes.values()) await kill();
  }

  async #saveProfile(): Promise<void> {
    const { port, secret } = this.#receiver;
    const json = { baseAddress: `http://127.0.0.1:${port}`, secret, suggestsContacts: false };
    const call = { token: this.#tokens.hana, json };
    const { status } = await callProcess(this.#platformAddress, "PUT", "/portal/profile", call);
    if (status !== 200) throw new Error(`saving the profile returned ${status}`);
  }

  /** Creates an offer with the traced client, in one attempt. */
  async createOffer(): Promise<{ id: string; traceId: string }> {
    let traceId = "";
    const captureTraceId: Middleware = (request, next) => {
      traceId = request.headers.traceparent?.split("-")[1] ?? "";
      return next(request);
    };
    const options = { baseUrl: this.#platformAddress, apiKey, maxRetries: 0, middleware: [captureTraceId] };
    const input = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const { id } = await new TracedOffersClient(options).createOffer(input);
    return { id, traceId };
  }

  /** Makes Amal apply to the offer in the app. @returns the response status */
  async apply(offerId: string): Promise<number> {
    const call = { token: this.#tokens.amal };
    return (await callProcess(this.#platformAddress, "POST", `/worker-app/offers/${offerId}/apply`, call)).status;
  }
}

/** A span's process, name and response status, followed by its children, oldest first. */
export type Tree = readonly [span: string, ...children: Tree[]];

/** Builds a tree for each span without a parent. */
export const toTrees = (spans: readonly CollectedSpan[]): Tree[] =>
  spans.filter(({ parentSpanId }) => !parentSpanId).map((root) => toTree(spans, root));

/** Builds the tree whose root is this span. */
function toTree(spans: readonly CollectedSpan[], root: CollectedSpan): Tree {
  const { service, name, attributes, spanId } = root;
  const status = getAttribute(attributes, "http.response.status_code");
  const children = spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  return [[service, name, status].filter(Boolean).join(" "), ...children.map((child) => toTree(spans, child))];
}
