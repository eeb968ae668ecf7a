import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type DataLocation, openDataLocation, type StoreName } from "../reliability/crash-test/data-location.ts";
import { type Receipt, responseKey, verifyHistory } from "../reliability/crash-test/verify/verify-history.ts";
import { ClockedProcess } from "./clock-jumps/clocked-process.ts";
import { type Load, saveProfile, startLoad } from "./clock-jumps/load.ts";
import { findDebianProgram } from "./debian-program.ts";
import type { SuiteReport } from "./suite.ts";

const platform = resolve(import.meta.dirname, "../../examples/platform");

/** Where the clocks stand for a while, in hours from the machine's. */
interface Phase {
  platform: number;
  integrator: number;
  /** The receiver responds with 503 to everything. */
  isOut?: boolean;
}

const phases: readonly Phase[] = [
  { platform: 0, integrator: 0 },
  { platform: 0, integrator: 3 },
  { platform: 0, integrator: 0 },
  { platform: 0, integrator: -3 },
  { platform: 0, integrator: 0, isOut: true },
  { platform: 0, integrator: 0 },
  // The platform's clock goes forward only: what is due would have to wait for a database's clock that is set back.
  { platform: 3, integrator: 0 },
  { platform: 3, integrator: 3 },
  { platform: 5, integrator: 5 },
  // Sessions last for twelve hours.
  { platform: 18, integrator: 18 },
];

const phaseMs = 6_000;
/** In a phase in which signatures are valid, an event must be handled within this time: retries come every second. */
const recoveryMs = 45_000;
const retrySchedule = Array.from({ length: 200 }, () => "1s").join();

/** Moves the clock of the platform forwards, and that of the receiver in both directions, by hours, while workers respond and webhooks are delivered. */
export async function faketime(): Promise<SuiteReport> {
  const { title } = await findDebianProgram("faketime");
  const found: string[] = [];
  let jumps = 0;
  let events = 0;
  for (const store of ["pglite", "postgres"] as const) {
    const location = await openDataLocation(store, false);
    try {
      const run = new Run(location, store);
      await run.play();
      jumps += run.jumps;
      events += run.receipts.length;
      found.push(...run.found.map((line) => `${location.title}: ${line}`));
    } finally {
      await location.remove();
    }
  }
  return { suite: title, tried: `${jumps} jumps of clocks, ${events} events delivered meanwhile`, found };
}

/** All phases on one store; on PostgreSQL with two processes of the platform, of which only the first one's clock jumps. */
class Run {
  readonly found: string[] = [];
  readonly receipts: Receipt[] = [];
  jumps = 0;
  readonly #location: DataLocation;
  readonly #hasTwo: boolean;
  #rejected = new Map<string, number>();
  readonly #errors = new Map<string, number>();

  constructor(location: DataLocation, store: StoreName) {
    this.#location = location;
    this.#hasTwo = store === "postgres";
  }

  async play(): Promise<void> {
    const secret = randomUUID();
    const processes: ClockedProcess[] = [];
    const data = await mkdtemp(join(tmpdir(), "offers-faketime-"));
    let load: Load | undefined;
    try {
      const receiver = await ClockedProcess.start("integrator", join(import.meta.dirname, "clock-jumps/receiver.ts"), {
        env: { WEBHOOK_SECRET: secret },
        onLine: (line) => this.#readReceiver(line),
      });
      processes.push(receiver);
      const env = {
        PORT: "0",
        DATABASE_URL: this.#location.options.databaseUrl ?? "",
        OFFERS_DATA: this.#location.options.dataFolder,
        OFFERS_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
        OFFERS_SEED: join(platform, "seed/demo.json"),
        OFFERS_ALLOW_LOOPBACK: "1",
        OFFERS_RATE_LIMIT: "off",
        OFFERS_PERSON_RATE_LIMIT: "off",
        OFFERS_RETRY_SCHEDULE: retrySchedule,
      };
      const platforms: ClockedProcess[] = [];
      for (const name of this.#hasTwo ? ["platform", "the other platform"] : ["platform"]) {
        const started = await ClockedProcess.start(name, join(platform, "src/main.ts"), {
          env,
          onLine: (line) => this.#readPlatform(line),
        });
        processes.push(started);
        platforms.push(started);
        await started.address;
      }
      const addresses = await Promise.all(platforms.map(({ address }) => address));
      await saveProfile(addresses[0] ?? "", `${await receiver.address}/offers`, secret);
      load = await startLoad(addresses);
      const [jumping] = platforms;
      if (!jumping) return;
      for (const phase of phases) await this.#playPhase(phase, jumping, receiver, processes, load);
      await load.stop();
      await this.#drain(load);
      this.#judge(load, processes);
    } finally {
      await load?.stop().catch(() => undefined);
      for (const each of processes) await each.stop();
      await rm(data, { recursive: true, force: true });
    }
  }

  async #playPhase(
    phase: Phase,
    jumping: ClockedProcess,
    receiver: ClockedProcess,
    processes: readonly ClockedProcess[],
    load: Load,
  ): Promise<void> {
    const name = `platform ${signed(phase.platform)} h, integrator ${signed(phase.integrator)} h${phase.isOut ? ", outage" : ""}`;
    await jumping.setClock(phase.platform);
    await receiver.setClock(phase.integrator);
    this.jumps++;
    if (phase.isOut) receiver.kill("SIGUSR2");
    // Requests that were signed before the jump are under way.
    await sleep(1_000);
    const [before, changesBefore, rejectedBefore] = [
      this.receipts.length,
      load.changes.length,
      new Map(this.#rejected),
    ];
    const used = await Promise.all(processes.map((each) => each.processorSeconds()));
    await sleep(phaseMs);
    const shares = await Promise.all(
      processes.map(async (each, index) => ((await each.processorSeconds()) - (used[index] ?? 0)) / (phaseMs / 1_000)),
    );
    const inTolerance = phase.platform === phase.integrator;
    let tookMs = phaseMs;
    if (inTolerance && !this.#hasTwo) tookMs += await this.#waitForReceipt(before);
    const handled = this.receipts.length - before;
    const rejections = [...this.#rejected]
      .map(([reason, count]) => [reason, count - (rejectedBefore.get(reason) ?? 0)] as const)
      .filter(([, count]) => count > 0);
    const busiest = Math.max(...shares);
    console.log(
      `  ${this.#location.title}, ${name}: ${load.changes.length - changesBefore} responses, ${handled} events handled, ` +
        `rejected: ${rejections.map(([reason, count]) => `${count} ${reason}`).join(", ") || "none"}; ` +
        `${load.sessionsEnded} sessions ended so far; ${Math.round(busiest * 100)} % of a processor`,
    );
    if (inTolerance && !this.#hasTwo && handled === 0)
      this.found.push(`${name}: no event in ${Math.round(tookMs / 1_000)} s`);
    if (!inTolerance && !this.#hasTwo && handled > 0) this.found.push(`${name}: ${handled} events were accepted`);
    if (!inTolerance && !this.#hasTwo && rejections.length === 0)
      this.found.push(`${name}: no attempt in ${phaseMs} ms`);
    // The other process keeps the machine's time.
    const isAnyOut = !inTolerance || (this.#hasTwo && phase.integrator !== 0);
    for (const [reason] of rejections)
      if (!(reason === "timestamp_out_of_tolerance" && isAnyOut) && reason !== "outage")
        this.found.push(`${name}: the receiver rejected with ${reason}`);
    if (load.changes.length === changesBefore) this.found.push(`${name}: no worker could respond`);
    if (busiest > 0.9) this.found.push(`${name}: a process was busy for ${Math.round(busiest * 100)} % of the time`);
    if (phase.isOut) receiver.kill("SIGUSR2");
  }

  async #waitForReceipt(before: number): Promise<number> {
    const startedAt = performance.now();
    while (this.receipts.length === before && performance.now() - startedAt < recoveryMs) await sleep(100);
    return performance.now() - startedAt;
  }

  /** Until every change has arrived, or nothing has for a while. */
  async #drain({ changes }: Load): Promise<void> {
    for (let last = -1, quietMs = 0; quietMs < recoveryMs; ) {
      if (verifyHistory(changes, this.receipts).lost === 0) return;
      await sleep(500);
      quietMs = this.receipts.length === last ? quietMs + 500 : 0;
      last = this.receipts.length;
    }
  }

  #judge({ changes, unexpected }: Load, processes: readonly ClockedProcess[]): void {
    const { acked, lost, reordered, invented, duplicated, examples } = verifyHistory(changes, this.receipts);
    console.log(
      `  ${this.#location.title}: ${acked} responses, ${lost} lost, ${reordered} reordered, ${duplicated} duplicated`,
    );
    if (lost + reordered + invented > 0)
      this.found.push(`${lost} lost, ${reordered} reordered, ${invented} invented`, ...examples.slice(0, 3));
    for (const [what, count] of unexpected) this.found.push(`the platform responded ${count} times with ${what}`);
    for (const [what, count] of this.#errors) this.found.push(`an error was logged ${count} times: ${what}`);
    for (const { name, isRunning } of processes) if (!isRunning) this.found.push(`${name} has exited`);
  }

  #readReceiver(line: string): void {
    if (!line.startsWith("{")) return;
    const { rejected, failed, offerId, workerId, response: word, deliveryId } = JSON.parse(line);
    if (rejected) this.#rejected.set(rejected, (this.#rejected.get(rejected) ?? 0) + 1);
    else if (failed) this.found.push(`the receiver failed: ${failed}`);
    else {
      const ordinal = this.receipts.length;
      this.receipts.push({ ordinal, deliveryId, key: responseKey(offerId, workerId), word, isAcknowledged: true });
    }
  }

  #readPlatform(line: string): void {
    if (!line.startsWith("{")) return;
    const { level, msg, error, code } = JSON.parse(line);
    if (level < 50) return;
    const what = [msg, error, code].filter(Boolean).join(" ");
    this.#errors.set(what, (this.#errors.get(what) ?? 0) + 1);
  }
}

const signed = (hours: number): string => (hours > 0 ? `+${hours}` : String(hours));
