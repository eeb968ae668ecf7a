import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startListening } from "../start-listening.ts";
import { ErrorTally } from "./error-tally.ts";

const main = join(import.meta.dirname, "../../examples/platform/src/main.ts");

/** What a graceful end may take, and a little more. */
const stopMs = 40_000;

interface Member {
  child: ChildProcess;
  /** Unknown until it listens. */
  address?: string;
  /** Whether it is we who end it. */
  isDoomed: boolean;
}

/** The platform as so many processes on one store, each of which is started again when it has ended. */
export class Fleet {
  readonly #environment: Record<string, string>;
  readonly #members = new Set<Member>();
  readonly #starts = new Set<Promise<void>>();
  readonly #endAtExit = (): void => {
    for (const { child } of this.#members) child.kill("SIGKILL");
  };
  #isStopping = false;

  /** What must not have happened, in words. */
  readonly faults: string[] = [];
  /** The errors that the processes logged. */
  readonly errors = new ErrorTally();

  /** @param environment all that each process gets beside the path and its port */
  constructor(environment: Record<string, string>) {
    this.#environment = environment;
    process.once("exit", this.#endAtExit);
  }

  /** Resolves when all of them listen. */
  async start(processes: number): Promise<void> {
    await Promise.all(Array.from({ length: processes }, () => this.#start()));
    if (this.addresses.length < processes) throw new Error(`the platform does not start: ${this.faults.join("; ")}`);
  }

  /** Where those that are up listen. */
  get addresses(): string[] {
    return [...this.#members].flatMap(({ address, isDoomed }) => (address && !isDoomed ? [address] : []));
  }

  /** Whether no process is up or about to be: the last ones did not start. */
  get isDown(): boolean {
    return this.#members.size === 0 && this.#starts.size === 0;
  }

  /** Resolves when no process is about to start. */
  async allUp(): Promise<void> {
    while (this.#starts.size > 0) await Promise.all(this.#starts);
  }

  /** Kills one of those that listen, and starts another. */
  async kill(): Promise<void> {
    const listening = [...this.#members].filter(({ address, isDoomed }) => address && !isDoomed);
    const member = listening[Math.floor(Math.random() * listening.length)];
    if (member === undefined) return;
    member.isDoomed = true;
    const exited = once(member.child, "exit");
    member.child.kill("SIGKILL");
    await exited;
    this.#startAgain();
  }

  /** Asks all to end, and finds fault with those that don't end well. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.allUp();
    await Promise.all([...this.#members].map((member) => this.#stop(member)));
    process.off("exit", this.#endAtExit);
  }

  /** At once. */
  async destroy(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      [...this.#members].map(async (member) => {
        member.isDoomed = true;
        const exited = once(member.child, "exit");
        member.child.kill("SIGKILL");
        await exited;
      }),
    );
    await this.allUp();
    process.off("exit", this.#endAtExit);
  }

  async #stop(member: Member): Promise<void> {
    member.isDoomed = true;
    const exited = once(member.child, "exit");
    member.child.kill("SIGTERM");
    const overdue = setTimeout(() => member.child.kill("SIGKILL"), stopMs);
    const [code, signal] = await exited;
    clearTimeout(overdue);
    if (code !== 0) this.faults.push(`a process that was asked to end ended with ${code ?? signal}`);
  }

  #startAgain(): void {
    if (this.#isStopping) return;
    const started = this.#start().finally(() => this.#starts.delete(started));
    this.#starts.add(started);
  }

  async #start(): Promise<void> {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main], {
      env: { PATH: process.env.PATH, PORT: "0", ...this.#environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const member: Member = { child, isDoomed: false };
    this.#members.add(member);
    this.errors.watch(child);
    child.once("exit", (code, signal) => {
      this.#members.delete(member);
      // One that does not even start is not started for ever.
      if (member.isDoomed || member.address === undefined) return;
      this.faults.push(`a process ended by itself with ${code ?? signal}`);
      this.#startAgain();
    });
    try {
      member.address = (await startListening(child)).address;
    } catch (error) {
      if (!member.isDoomed) this.faults.push(`a process did not start: ${(error as Error).message}`);
    }
  }
}
