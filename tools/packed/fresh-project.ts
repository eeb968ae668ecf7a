import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type PackageName, pack } from "./pack.ts";

const run = promisify(execFile);

/** A project outside the workspace, into which the packages are installed as npm would install them. */
export interface FreshProject {
  folder: string;
  /** The packed packages, by their folder's name. */
  tarballs: Record<PackageName, string>;
  write(file: string, content: string): Promise<string>;
  remove(): Promise<void>;
}

export async function freshProject(): Promise<FreshProject> {
  const folder = await mkdtemp(join(tmpdir(), "offers-packed-"));
  const [client, kit] = await Promise.all([pack("client", folder), pack("webhook-kit", folder)]);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fresh", private: true, version: "1.0.0" }));
  await run("npm", ["install", "--no-audit", "--no-fund", client, kit, "express@5"], { cwd: folder });
  return {
    folder,
    tarballs: { client, "webhook-kit": kit },
    async write(file, content) {
      await writeFile(join(folder, file), content);
      return join(folder, file);
    },
    remove: () => rm(folder, { recursive: true }),
  };
}
