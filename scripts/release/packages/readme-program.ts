import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import ts from "typescript";
import { snippetsIn } from "../../snippets/read.ts";

const root = join(import.meta.dirname, "../../..");

/** The two programs of README.md: one calls the service, the other receives webhooks. */
export const readmePrograms = { call: "@offers/client", receive: "@offers/webhook-kit/express" } as const;
export type ReadmeProgram = keyof typeof readmePrograms;

/** What each environment variable replaces, so that each test has its own URL, port and secret. */
const variables: Record<ReadmeProgram, Readonly<Record<string, string>>> = {
  call: { '"http://127.0.0.1:3000"': 'process.env.SERVICE_ADDRESS ?? ""' },
  receive: {
    ".listen(3001,": ".listen(Number(process.env.PORT),",
    '"demo-webhook-secret"': 'process.env.SECRET ?? ""',
  },
};

/** A program of README.md, with SERVICE_ADDRESS, PORT and SECRET from the environment. */
export function readmeProgram(program: ReadmeProgram): string {
  const snippet = [...snippetsIn("README.md", readFileSync(join(root, "README.md"), "utf8"))].find(({ code }) =>
    code.includes(`"${readmePrograms[program]}"`),
  );
  if (!snippet) throw new Error(`README.md has no snippet that imports ${readmePrograms[program]}`);
  return Object.entries(variables[program]).reduce((code, [printed, variable]) => {
    if (!code.includes(printed)) throw new Error(`README.md's program has no ${printed}`);
    return code.replace(printed, variable);
  }, snippet.code);
}

/** A receiver's statuses for what openssl signed, for another time, for another secret, and without headers. */
export async function signedStatuses(address: string, secret: string): Promise<readonly number[]> {
  await waitFor(`${address}/test`);
  const timestamp = new Date().toISOString();
  const status = async (headers: Record<string, string>) => (await fetch(`${address}/test/auth`, { headers })).status;
  const authorization = `hmac ${await opensslDigest(timestamp + secret)}`;
  return [
    await status({ timestamp, authorization }),
    await status({ timestamp: new Date(Date.now() + 1_000).toISOString(), authorization }),
    await status({ timestamp, authorization: `hmac ${await opensslDigest(`${timestamp}another`)}` }),
    await status({}),
  ];
}

async function opensslDigest(text: string): Promise<string> {
  const digest = promisify(execFile)("openssl", ["dgst", "-sha256", "-r"]);
  digest.child.stdin?.end(text);
  return (await digest).stdout.slice(0, 64);
}

async function waitFor(address: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(100);
  }
  throw new Error(`${address} does not respond with 200`);
}

/** A snippet as the file that a reader would make from it: an ES module, or a CommonJS script. */
export const inBothModuleSystems: readonly (readonly [file: string, compile: (code: string) => string])[] = [
  ["snippet.mjs", (code) => transpile(code, ts.ModuleKind.ESNext)],
  // A CommonJS script cannot await at its top level.
  ["snippet.cjs", (code) => `(async () => {\n${transpile(code, ts.ModuleKind.CommonJS)}\n})();\n`],
];

function transpile(code: string, module: ts.ModuleKind): string {
  const { outputText } = ts.transpileModule(code, { compilerOptions: { module, target: ts.ScriptTarget.ES2022 } });
  return outputText;
}
