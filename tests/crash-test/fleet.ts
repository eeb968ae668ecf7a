import { setTimeout as pause } from "node:timers/promises";
import { openPlatformStore, platformMain } from "../../scripts/processes/platform-store.ts";
import { type StartedProcess, startProcess } from "../../scripts/processes/start-process.ts";

export type StoreName = "pglite" | "postgres";

/**
 * The platform's retry schedule. Its delays are short, so that the end of the run measures the platform and not the schedule. It has enough
 * retries that no delivery fails.
 */
const retrySchedule = ["200ms", "500ms", ...Array.from({ length: 38 }, () => "1s")].join();

interface Member {
  process: StartedProcess;
  /** Its URL. Undefined until it listens, while it is stalled, and after it exits. */
  address: string | undefined;
  isExpectedToExit: boolean;
}

/** Runs platform processes on one store. */
export class Fleet {
  readonly #env: NodeJS.ProcessEnv;
  readonly #removeStore: () => Promise<unknown>;
  readonly #members = new Set<Member>();
  readonly #stalls = new Set<Promise<void>>();
  /** Descriptions of unexpected exits and exit codes. */
  readonly faults: string[] = [];

  private constructor(env: NodeJS.ProcessEnv, removeStore: () => Promise<unknown>) {
    this.#env = env;
    this.#removeStore = removeStore;
  }

  static async start(store: StoreName, processCount: number, seed: object): Promise<Fleet> {
    const { env, remove } = await openPlatformStore(store, seed);
    const fleet = new Fleet({ ...env, OFFERS_RETRY_SCHEDULE: retrySchedule }, remove);
    await Promise.all(Array.from({ length: processCount }, () => fleet.#startProcess()));
    return fleet;
  }

  /** Returns the URLs of the running processes. */
  get addresses(): string[] {
    return [...this.#members].flatMap(({ address }) => address ?? []);
  }

  /** Kills a random process with SIGKILL, and starts a new one. */
  async replaceProcess(): Promise<void> {
    const member = this.#pickRunningProcess();
    if (member === undefined) return;
    member.isExpectedToExit = true;
    await member.process.stop("SIGKILL");
    await this.#startProcess();
  }

  /** Stalls a random process with SIGSTOP for this time. Returns immediately. */
  stallProcess(durationMs: number): void {
    const member = this.#pickRunningProcess();
    if (member === undefined) return;
    const { address } = member;
    member.address = undefined;
    member.process.child.kill("SIGSTOP");
    const stall = pause(durationMs).then(() => {
      member.process.child.kill("SIGCONT");
      member.address = address;
      this.#stalls.delete(stall);
    });
    this.#stalls.add(stall);
  }

  /** Waits until every stalled process has continued. */
  async waitForStalls(): Promise<void> {
    await Promise.all(this.#stalls);
  }

  /** Stops all processes and removes their store. */
  async stop(): Promise<void> {
    await this.waitForStalls();
    for (const member of this.#members) {
      member.isExpectedToExit = true;
      const code = await member.process.stop();
      if (code !== 0) this.faults.push(`a process that was asked to stop exited with ${code ?? "a signal"}`);
    }
    await this.#removeStore();
  }

  #pickRunningProcess(): Member | undefined {
    const runningMembers = [...this.#members].filter(({ address }) => address !== undefined);
    return runningMembers[Math.floor(Math.random() * runningMembers.length)];
  }

  async #startProcess(): Promise<void> {
    const started = startProcess(process.execPath, ["--disable-warning=ExperimentalWarning", platformMain], {
      env: this.#env,
    });
    const member: Member = { process: started, address: undefined, isExpectedToExit: false };
    this.#members.add(member);
    started.child.once("exit", (code, signal) => {
      this.#members.delete(member);
      member.address = undefined;
      if (!member.isExpectedToExit)
        this.faults.push(`a process exited with ${code ?? signal}:\n${started.lines.slice(-5).join("\n")}`);
    });
    member.address = await started.ready;
  }
}
