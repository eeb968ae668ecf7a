import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type StartedProcess, startProcess } from "../../processes/start-process.ts";

const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";

/** A process of Node whose wall clock can be moved while it runs. Its monotonic clock runs on: so does that of a machine. */
export class ClockedProcess {
  readonly name: string;
  readonly #folder: string;
  readonly #started: StartedProcess;

  private constructor(name: string, folder: string, started: StartedProcess) {
    this.name = name;
    this.#folder = folder;
    this.#started = started;
  }

  static async start(
    name: string,
    module: string,
    { env, onLine }: { env: Record<string, string>; onLine: (line: string) => void },
  ): Promise<ClockedProcess> {
    const folder = await mkdtemp(join(tmpdir(), "offers-clock-"));
    const clock = join(folder, "clock");
    await writeFile(clock, "+0\n");
    const started = startProcess(process.execPath, ["--disable-warning=ExperimentalWarning", module], {
      onLine,
      env: {
        PATH: process.env.PATH,
        ...env,
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        NO_FAKE_STAT: "1",
      },
    });
    return new ClockedProcess(name, folder, started);
  }

  get address(): Promise<string> {
    return this.#started.ready;
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.#started.child;
    return exitCode === null && signalCode === null;
  }

  /** @param hours from the machine's clock */
  async setClock(hours: number): Promise<void> {
    // Renamed, so that it never reads half a file.
    const next = join(this.#folder, "next");
    await writeFile(next, `${hours < 0 ? "" : "+"}${hours * 3_600}\n`);
    await rename(next, join(this.#folder, "clock"));
  }

  /** How long it has used the processor, in seconds. */
  async processorSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#started.child.pid}/stat`, "utf8");
    const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(user) + Number(system)) / 100;
  }

  kill(signal: NodeJS.Signals): void {
    this.#started.child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.isRunning) await this.#started.stop("SIGKILL");
    await rm(this.#folder, { recursive: true });
  }
}
