import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../../scripts/processes/free-port.ts";

/** The program from the Debian package. The program with the same name in /usr/sbin uses the data of the system broker. */
const program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const epmd = globSync("/usr/lib/erlang/erts-*/bin/epmd").at(-1) ?? "";

export const hasRabbit = existsSync(program) && epmd !== "";

/** A RabbitMQ broker that a test starts, kills and removes. Nothing is shared with other brokers: node name, ports, data or settings. */
export class OwnRabbit {
  readonly url: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #portMapper: ChildProcess;
  #child: ChildProcess | undefined;

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#env = env;
    this.url = `amqp://guest:guest@127.0.0.1:${env.RABBITMQ_NODE_PORT}`;
    // Without this port mapper, the broker would start a daemon that outlives the test.
    this.#portMapper = spawn(epmd, ["-address", "127.0.0.1", "-port", `${env.ERL_EPMD_PORT}`], {
      env,
      stdio: "ignore",
    });
  }

  static async create(): Promise<OwnRabbit> {
    const folder = await mkdtemp(join(tmpdir(), "offers-rabbit-"));
    for (const name of ["data", "log"]) await mkdir(join(folder, name));
    await writeFile(join(folder, ".erlang.cookie"), crypto.randomUUID(), { mode: 0o400 });
    await writeFile(join(folder, "plugins"), "[].");
    await writeFile(join(folder, "rabbitmq.conf"), "");
    const [port, distributionPort, mapperPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
    const rabbit = new OwnRabbit(folder, {
      PATH: process.env.PATH,
      HOME: folder,
      ERL_EPMD_PORT: String(mapperPort),
      ERL_EPMD_ADDRESS: "127.0.0.1",
      RABBITMQ_NODENAME: `offers_test_${process.pid}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
      RABBITMQ_NODE_PORT: String(port),
      RABBITMQ_DIST_PORT: String(distributionPort),
      RABBITMQ_MNESIA_BASE: join(folder, "data"),
      RABBITMQ_LOG_BASE: join(folder, "log"),
      RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.conf"),
      RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, "advanced.config"),
      RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
      RABBITMQ_CONF_ENV_FILE: "/dev/null",
      RABBITMQ_LOGS: "-",
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 1:1",
    });
    await rabbit.start();
    return rabbit;
  }

  async start(): Promise<void> {
    // Use a separate process group, so that `kill` ends both the script and Erlang.
    const child = spawn(program, { env: this.#env, stdio: ["ignore", "pipe", "ignore"], detached: true });
    this.#child = child;
    let log = "";
    await new Promise<void>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        log = (log + chunk).slice(-4_000);
        if (log.includes("Server startup complete")) resolve();
      });
      child.once("exit", () => reject(new Error(`RabbitMQ did not start:\n${log}`)));
    });
  }

  /** Kills the broker with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined || child.signalCode !== null) return;
    const exited = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    this.#portMapper.kill("SIGKILL");
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
