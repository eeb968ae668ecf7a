import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Usage } from "./serve.ts";

/** A contender's server in a process of its own, so that its CPU time is its own. */
export class ReceiverProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** @param module of {@link import("./contender.ts").Contender} */
  static async start(module: URL): Promise<ReceiverProcess> {
    const env = { ...process.env, NODE_ENV: "production" };
    const child = fork(fileURLToPath(new URL("serve.ts", import.meta.url)), [module.href], { env });
    const failed = once(child, "exit").then(() => {
      throw new Error(`${module.pathname} did not start.`);
    });
    const [port] = (await Promise.race([once(child, "message"), failed])) as [number];
    return new ReceiverProcess(child, port);
  }

  async usage(): Promise<Usage> {
    const message = once(this.#child, "message");
    this.#child.send("usage");
    const [usage] = (await message) as [Usage];
    return usage;
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, "exit");
    this.#child.disconnect();
    await exit;
  }
}
