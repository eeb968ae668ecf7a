import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type StartedProcess, startProcess } from "../../processes/start-process.ts";
import type { Interruption, TimeSpan } from "./verify/verify-store.ts";

const main = join(import.meta.dirname, "../../../examples/platform/src/main.ts");

/** The limit of a graceful shutdown, with a margin. */
const stopMs = 40_000;

interface Member extends StartedProcess {
  /** The name of its connections to the database. */
  name: string;
  /** Unknown until it listens. */
  address?: string;
  expectedToExit: boolean;
  isStalled: boolean;
}

export interface FleetOptions {
  /** The environment of each process, beside PATH and PORT. */
  environment: Record<string, string>;
  /** Modules that each process loads before the platform. */
  imports: readonly string[];
  /** Called before a process is killed or stopped, or continues. */
  onInterruption: () => void;
}

/** Several processes of the platform on one store. One that exits is replaced, unless it never listened. */
export class Fleet {
  readonly #options: FleetOptions;
  readonly #members = new Set<Member>();
  readonly #starts = new Set<Promise<void>>();
  /** Stalls and ends that are not over. */
  readonly #underWay = new Set<Promise<void>>();
  readonly #killAll = (): void => {
    for (const { child } of this.#members) child.kill("SIGKILL");
  };
  #isStopping = false;
  #started = 0;

  /** Every kill and stall. */
  readonly interruptions: Interruption[] = [];
  /** When none of them was at work. */
  readonly outages: TimeSpan[] = [];
  readonly faults: string[] = [];
  /** The errors that the processes logged. */
  readonly errors = new ErrorTally();

  constructor(options: FleetOptions) {
    this.#options = options;
    process.once("exit", this.#killAll);
  }

  /** Resolves when all of them listen. */
  async start(processes: number): Promise<void> {
    await Promise.all(Array.from({ length: processes }, () => this.#start()));
    if (this.addresses.length < processes) throw new Error(`the platform does not start: ${this.faults.join("; ")}`);
  }

  /** The addresses of those that are at work. */
  get addresses(): string[] {
    return this.#atWork.map(({ address }) => address ?? "");
  }

  /** Whether no process is up or starting. */
  get isDown(): boolean {
    return this.#members.size === 0 && this.#starts.size === 0;
  }

  /** Resolves when no process is about to start. */
  async allUp(): Promise<void> {
    while (this.#starts.size > 0) await Promise.all(this.#starts);
  }

  /** Resolves when no process is stopped, or about to start. */
  async allAtWork(): Promise<void> {
    await Promise.all(this.#underWay);
    await this.allUp();
  }

  /** Kills one of those that are at work; another one starts. */
  async kill(): Promise<void> {
    const member = this.#interrupt();
    if (member === undefined) return;
    member.expectedToExit = true;
    this.#noteOutage();
    await member.stop("SIGKILL");
  }

  /** Stops one of those that are at work with SIGSTOP, and returns at once. It continues after this time. */
  stall(stalledMs: number): void {
    const member = this.#interrupt(stalledMs);
    if (member === undefined) return;
    member.isStalled = true;
    this.#noteOutage();
    member.child.kill("SIGSTOP");
    const stalled = sleep(stalledMs).then(() => {
      this.#options.onInterruption();
      member.child.kill("SIGCONT");
      member.isStalled = false;
      this.#noteOutage();
      this.#underWay.delete(stalled);
    });
    this.#underWay.add(stalled);
  }

  /** Asks one of those that are at work to end, and returns at once. Another one starts when it has ended. */
  end(): void {
    const member = this.#pick();
    if (member === undefined) return;
    const ended = this.#end(member).then(() => void this.#underWay.delete(ended));
    this.#underWay.add(ended);
    this.#noteOutage();
  }

  /** Ends all gracefully. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.allAtWork();
    await Promise.all([...this.#members].map((member) => this.#end(member)));
    process.off("exit", this.#killAll);
  }

  /** Kills all. */
  async destroy(): Promise<void> {
    this.#isStopping = true;
    for (const member of this.#members) member.expectedToExit = true;
    await Promise.all([...this.#members].map((member) => member.stop("SIGKILL")));
    await this.allUp();
    process.off("exit", this.#killAll);
  }

  get #atWork(): Member[] {
    return [...this.#members].filter(
      ({ address, expectedToExit, isStalled }) => address && !expectedToExit && !isStalled,
    );
  }

  /** A process that exits with an error is a fault. */
  async #end(member: Member): Promise<void> {
    member.expectedToExit = true;
    const overdue = setTimeout(() => member.child.kill("SIGKILL"), stopMs);
    const code = await member.stop();
    clearTimeout(overdue);
    if (code !== 0) this.faults.push(`a process that was asked to end exited with ${code ?? "a signal"}`);
  }

  #pick(): Member | undefined {
    return this.#atWork[Math.floor(Math.random() * this.#atWork.length)];
  }

  #interrupt(stalledMs?: number): Member | undefined {
    const member = this.#pick();
    if (member === undefined) return undefined;
    this.#options.onInterruption();
    this.interruptions.push({ process: member.name, at: Date.now(), ...(stalledMs !== undefined && { stalledMs }) });
    return member;
  }

  #noteOutage(): void {
    const last = this.outages.at(-1);
    const isOut = last?.to === Number.POSITIVE_INFINITY;
    if (this.#atWork.length > 0 && isOut) last.to = Date.now();
    if (this.#atWork.length === 0 && !isOut) this.outages.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
  }

  async #start(): Promise<void> {
    const name = `crash-test-${++this.#started}`;
    const { environment, imports } = this.#options;
    const flags = ["--disable-warning=ExperimentalWarning", ...imports.flatMap((path) => ["--import", path])];
    const DATABASE_URL = withApplicationName(environment.DATABASE_URL, name);
    const started = startProcess(process.execPath, [...flags, main], {
      env: { PATH: process.env.PATH, PORT: "0", ...environment, DATABASE_URL },
      onLine: this.errors.read,
    });
    const member: Member = { ...started, name, expectedToExit: false, isStalled: false };
    this.#members.add(member);
    member.child.once("exit", (code, signal) => {
      this.#members.delete(member);
      this.#noteOutage();
      if (member.address === undefined) return;
      if (!member.expectedToExit) this.faults.push(`a process exited by itself with ${code ?? signal}`);
      if (this.#isStopping) return;
      const replaced = this.#start().finally(() => this.#starts.delete(replaced));
      this.#starts.add(replaced);
    });
    try {
      member.address = await member.ready;
      this.#noteOutage();
    } catch (error) {
      if (!member.expectedToExit) this.faults.push(`a process did not start: ${(error as Error).message}`);
    }
  }
}

function withApplicationName(databaseUrl: string | undefined, name: string): string {
  if (!databaseUrl) return "";
  const url = new URL(databaseUrl);
  url.searchParams.set("application_name", name);
  return url.href;
}

/** pino's number for an error. */
const errorLevel = 50;
const maxLines = 10;

/** Counts the errors that processes log, by error and origin. */
export class ErrorTally {
  readonly #counts = new Map<string, number>();

  /** Reads a line that a process logged. */
  readonly read = (line: string): void => {
    // Most lines are no errors; they are not even parsed.
    if (line.startsWith('{"level":') && !line.startsWith(`{"level":${errorLevel}`)) return;
    const what = describe(line);
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  };

  /** The most frequent first: `background.error error 57P03 at claim (queue/boss-queue.ts:30): 12 times`. */
  get lines(): string[] {
    const sorted = [...this.#counts].sort(([, a], [, b]) => b - a).map(([what, count]) => `${what}: ${count} times`);
    const others = sorted.length - maxLines;
    return others > 0 ? [...sorted.slice(0, maxLines), `errors of ${others} other kinds`] : sorted;
  }
}

/** Which error it was and where: `background.failed DatabaseError 57P01 at recordAttempts`. */
function describe(line: string): string {
  try {
    const { msg, error, code, at, cause } = JSON.parse(line);
    const ours = at
      ?.find((frame: string) => frame.includes("/platform/src/"))
      ?.replace(/ \(.*\/src\/(.*):\d+\)$/, " ($1)");
    return [msg, error, code, cause?.code, ours].filter(Boolean).join(" ");
  } catch {
    return line;
  }
}
