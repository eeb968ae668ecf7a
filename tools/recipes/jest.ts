import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { FreshProject } from "../packed/fresh-project.ts";

/** testReceiver within Jest. */
export async function jest(project: FreshProject): Promise<void> {
  await project.install("jest@30.5.2");
  await copyFile(join(import.meta.dirname, "receiver.test.js"), join(project.folder, "receiver.test.js"));
  const cli = join(project.folder, "node_modules/jest/bin/jest.js");
  await promisify(execFile)(process.execPath, [cli, "--detectOpenHandles", "--ci", "--testTimeout=60000"], {
    cwd: project.folder,
  });
}
