import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startListening } from "../start-listening.ts";
import { ErrorTally } from "./error-tally.ts";

const main = join(import.meta.dirname, "../../examples/platform/src/main.ts");

/** What a graceful end may take, and a little more. */
const stopMs = 40_000;

interface Member {
  /** What its connections to the database are called. */
  name: string;
  child: ChildProcess;
  /** Unknown until it listens. */
  address?: string;
  /** Whether it is we who end it. */
  expectedToExit: boolean;
  isStalled: boolean;
}

/** A process that was killed, or stood still for a while. */
export interface Interruption {
  process: string;
  /** By the clock of this machine, in milliseconds. */
  at: number;
  /** Absent when it was killed. */
  stalledMs?: number;
}

/** From when until when, by the clock of this machine, in milliseconds. */
export interface TimeSpan {
  from: number;
  to: number;
}

export interface FleetOptions {
  /** All that each process gets beside the path and its port. */
  environment: Record<string, string>;
  /** Modules that each process loads before the platform. */
  imports?: readonly string[];
  /** Told of each process that is about to be killed or stopped, or to go on. */
  onInterruption?: () => void;
}

/** The platform as so many processes on one store, each of which is started again when it has ended. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members = new Set<Member>();
  readonly #starts = new Set<Promise<void>>();
  readonly #stalls = new Set<Promise<void>>();
  readonly #endAtExit = (): void => {
    for (const { child } of this.#members) child.kill("SIGKILL");
  };
  #isStopping = false;
  #started = 0;

  /** Every kill and stall. */
  readonly interruptions: Interruption[] = [];
  /** When none of them was at work. */
  readonly outages: TimeSpan[] = [];
  /** What must not have happened, in words. */
  readonly faults: string[] = [];
  /** The errors that the processes logged. */
  readonly errors = new ErrorTally();

  constructor(options: FleetOptions) {
    this.#options = options;
    process.once("exit", this.#endAtExit);
  }

  /** Resolves when all of them listen. */
  async start(processes: number): Promise<void> {
    await Promise.all(Array.from({ length: processes }, () => this.#start()));
    if (this.addresses.length < processes) throw new Error(`the platform does not start: ${this.faults.join("; ")}`);
  }

  /** Where those that are at work listen. */
  get addresses(): string[] {
    return this.#atWork.map(({ address }) => address ?? "");
  }

  /** Whether no process is up or about to be: the last ones did not start. */
  get isDown(): boolean {
    return this.#members.size === 0 && this.#starts.size === 0;
  }

  /** Resolves when no process is about to start. */
  async allUp(): Promise<void> {
    while (this.#starts.size > 0) await Promise.all(this.#starts);
  }

  /** Resolves when no process stands still, or is about to start. */
  async allAtWork(): Promise<void> {
    await Promise.all(this.#stalls);
    await this.allUp();
  }

  /** Kills one of those that are at work, and starts another. */
  async kill(): Promise<void> {
    const member = anyOf(this.#atWork);
    if (member === undefined) return;
    member.expectedToExit = true;
    this.#options.onInterruption?.();
    this.interruptions.push({ process: member.name, at: Date.now() });
    this.#noteOutage();
    const exited = once(member.child, "exit");
    member.child.kill("SIGKILL");
    await exited;
    this.#startAgain();
  }

  /** Has one of those that are at work stand still, and returns at once. It knows nothing of it when it goes on. */
  stall(stalledMs: number): void {
    const member = anyOf(this.#atWork);
    if (member === undefined) return;
    member.isStalled = true;
    this.#options.onInterruption?.();
    this.interruptions.push({ process: member.name, at: Date.now(), stalledMs });
    this.#noteOutage();
    member.child.kill("SIGSTOP");
    const stalled = sleep(stalledMs).then(() => {
      this.#options.onInterruption?.();
      member.child.kill("SIGCONT");
      member.isStalled = false;
      this.#noteOutage();
      this.#stalls.delete(stalled);
    });
    this.#stalls.add(stalled);
  }

  /** Asks all to end, and finds fault with those that don't end well. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.allAtWork();
    await Promise.all([...this.#members].map((member) => this.#stop(member)));
    process.off("exit", this.#endAtExit);
  }

  /** At once. */
  async destroy(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      [...this.#members].map(async (member) => {
        member.expectedToExit = true;
        const exited = once(member.child, "exit");
        member.child.kill("SIGKILL");
        await exited;
      }),
    );
    await this.allUp();
    process.off("exit", this.#endAtExit);
  }

  async #stop(member: Member): Promise<void> {
    member.expectedToExit = true;
    const exited = once(member.child, "exit");
    member.child.kill("SIGTERM");
    const overdue = setTimeout(() => member.child.kill("SIGKILL"), stopMs);
    const [code, signal] = await exited;
    clearTimeout(overdue);
    if (code !== 0) this.faults.push(`a process that was asked to end ended with ${code ?? signal}`);
  }

  get #atWork(): Member[] {
    return [...this.#members].filter(
      ({ address, expectedToExit, isStalled }) => address && !expectedToExit && !isStalled,
    );
  }

  #noteOutage(): void {
    const last = this.outages.at(-1);
    const isOut = last?.to === Number.POSITIVE_INFINITY;
    if (this.#atWork.length > 0 && isOut) last.to = Date.now();
    if (this.#atWork.length === 0 && !isOut) this.outages.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
  }

  #startAgain(): void {
    if (this.#isStopping) return;
    const started = this.#start().finally(() => this.#starts.delete(started));
    this.#starts.add(started);
  }

  async #start(): Promise<void> {
    this.#started += 1;
    const name = `crash-test-${this.#started}`;
    const { environment, imports = [] } = this.#options;
    const flags = ["--disable-warning=ExperimentalWarning", ...imports.flatMap((path) => ["--import", path])];
    const child = spawn(process.execPath, [...flags, main], {
      env: { PATH: process.env.PATH, PORT: "0", ...environment, DATABASE_URL: named(environment.DATABASE_URL, name) },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const member: Member = { name, child, expectedToExit: false, isStalled: false };
    this.#members.add(member);
    this.errors.watch(child);
    child.once("exit", (code, signal) => {
      this.#members.delete(member);
      this.#noteOutage();
      // One that does not even start is not started for ever.
      if (member.expectedToExit || member.address === undefined) return;
      this.faults.push(`a process ended by itself with ${code ?? signal}`);
      this.#startAgain();
    });
    try {
      member.address = (await startListening(child)).address;
      this.#noteOutage();
    } catch (error) {
      if (!member.expectedToExit) this.faults.push(`a process did not start: ${(error as Error).message}`);
    }
  }
}

/** An address whose connections the database knows by this name. */
function named(databaseUrl: string | undefined, name: string): string {
  if (!databaseUrl) return "";
  const url = new URL(databaseUrl);
  url.searchParams.set("application_name", name);
  return url.href;
}

const anyOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];
