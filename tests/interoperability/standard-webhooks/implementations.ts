import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";

/** A message with its three headers. */
export interface SignedMessage {
  id: string;
  /** Unix seconds. */
  timestamp: string;
  signature: string;
  /** UTF-8. */
  body: string;
}

/** A library, or a program in another language, that signs and verifies messages. */
export interface Implementation {
  name: string;
  sign(secret: string, message: Omit<SignedMessage, "signature">): string;
  verify(secret: string, message: SignedMessage): boolean;
}

const readVersion = (name: string): string => createRequire(import.meta.url)(`${name}/package.json`).version;

const createLibraryImplementation = (name: string, Class: typeof Webhook | typeof SvixWebhook): Implementation => ({
  name: `npm ${name} ${readVersion(name)}`,
  sign: (secret, { id, timestamp, body }) => new Class(secret).sign(id, new Date(Number(timestamp) * 1000), body),
  verify(secret, { id, timestamp, signature, body }) {
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    try {
      new Class(secret).verify(body, headers);
      return true;
    } catch (error) {
      // The libraries parse the verified body as JSON, which fails for a request without a body.
      return error instanceof SyntaxError;
    }
  },
});

/** Creates an implementation that calls a program in another language. @throws if the language is not installed */
function createProgramImplementation(command: string, file: string): Implementation {
  const { status, stdout, stderr } = spawnSync(command, ["--version"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${file} needs ${command}. Install it with apt-get install ${command}.`);
  const runProgram = (request: object): string => {
    const result = spawnSync(command, [join(import.meta.dirname, file)], {
      input: `${JSON.stringify(request)}\n`,
      encoding: "utf8",
    });
    if (result.status !== 0) throw new Error(`${file} failed: ${result.stderr}`);
    return result.stdout.trim();
  };
  const toHex = (body: string) => Buffer.from(body).toString("hex");
  // "Python 3.13.5", or "This is perl 5, version 40, subversion 1 (v5.40.1)".
  const [version] = /(?:Python |v)\d[\d.]*/.exec(stdout + stderr) ?? [];
  return {
    name: version?.replace(/^v/, "Perl ") ?? command,
    sign: (secret, { body, ...message }) => runProgram({ do: "sign", secret, ...message, body: toHex(body) }),
    verify: (secret, { body, ...message }) =>
      runProgram({ do: "verify", secret, ...message, body: toHex(body) }) === "true",
  };
}

/** Lists two npm libraries, and our own programs in Python and Perl. Debian has no Standard Webhooks library for these languages. */
export const listImplementations = (): readonly Implementation[] => [
  createLibraryImplementation("standardwebhooks", Webhook),
  createLibraryImplementation("svix", SvixWebhook),
  createProgramImplementation("python3", "verify.py"),
  createProgramImplementation("perl", "verify.pl"),
];
