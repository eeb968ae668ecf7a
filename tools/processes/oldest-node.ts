import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Installs the oldest Node that the packages and the README promise. @returns the path of its binary */
export async function oldestNode(): Promise<string> {
  const { stdout } = await promisify(execFile)("npx", [
    "--yes",
    "-p",
    "node@20.19.6",
    "-c",
    "node -p process.execPath",
  ]);
  return stdout.trim();
}
