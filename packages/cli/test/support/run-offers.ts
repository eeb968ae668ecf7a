import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const builtProgram = fileURLToPath(new URL("../../dist/offers.js", import.meta.url));

export interface OffersRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command. Its environment contains only PATH and `env`. */
export async function runOffers(args: readonly string[], env: Record<string, string> = {}): Promise<OffersRun> {
  const child = spawn(process.execPath, [builtProgram, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
