import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../../scripts/processes/free-port.ts";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { parseUrl, type ReceiverUrl } from "../../src/wire/receiver-url.ts";

const receiverPath = (name: string) => fileURLToPath(new URL(`../receivers/${name}`, import.meta.url));

/**
 * The command that starts the receiver in each language. start-program.ts starts the receivers from the guides, in Python and Java. PHP's
 * own size limit is turned off, because it would hide a missing limit in the code. An empty argument is replaced with the address.
 */
export const languages = {
  node: [process.execPath, receiverPath("receiver.mjs")],
  php: ["php", "-d", "post_max_size=0", "-S", "", receiverPath("receiver.php")],
  perl: ["perl", receiverPath("receiver.pl")],
  ruby: ["ruby", receiverPath("receiver.rb")],
} as const satisfies Record<string, readonly string[]>;

export type Language = keyof typeof languages;

/** Whether the interpreter of the language is installed. */
export const isInstalled = (language: Language): boolean =>
  spawnSync(languages[language][0], ["--version"]).status === 0;

export const secrets: Readonly<Record<Scheme, string>> = {
  timestampDigest: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
  standardWebhooks: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};

export interface StartedReceiver {
  url: ReceiverUrl;
  stop(): Promise<unknown>;
}

/** Starts a receiver from packages/cli/test/receivers. */
export async function startReceiver(language: Language, scheme: Scheme, defect = ""): Promise<StartedReceiver> {
  const [command, ...args] = languages[language];
  const port = language === "php" ? await findFreePort() : 0;
  const child = spawn(
    command,
    args.map((arg) => (arg === "" ? `127.0.0.1:${port}` : arg)),
    {
      stdio: ["ignore", "pipe", "pipe"],
      // The PHP server has workers, and the Perl receiver starts a process per connection, so `stop` kills the whole process group.
      detached: true,
      env: {
        ...process.env,
        WEBHOOK_SECRET: secrets[scheme],
        DEFECT: defect,
        PORT: String(port),
        PHP_CLI_SERVER_WORKERS: "4",
        SCHEME: scheme === "standardWebhooks" ? "standard-webhooks" : "timestamp-digest",
      },
    },
  );
  child.stderr.resume();
  const listeningPort = language === "php" ? await waitUntilResponding(port) : await readPort(child);
  return {
    url: parseUrl(`http://127.0.0.1:${listeningPort}`),
    async stop() {
      const ended = once(child, "exit");
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      await ended;
    },
  };
}

async function readPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error("The receiver's output is not piped.");
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("The receiver exited before it listened.");
}

async function waitUntilResponding(port: number): Promise<number> {
  for (let attemptsLeft = 200; attemptsLeft > 0; attemptsLeft -= 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/test`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isUp) return port;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("The receiver does not respond.");
}
