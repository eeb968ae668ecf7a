import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../../processes/run-command.ts";
import { goToDefinitions } from "./definitions.ts";
import { compileSnippets, peersOfSnippets } from "./readme-snippets.ts";

/** A project that has installed the packages, and what their READMEs import. */
export interface InstalledProject {
  folder: string;
  compileReadmes(): Promise<string>;
  goToDefinitions(): Promise<string>;
}

/** @param packages tarballs, or names with versions */
export async function installPackages(
  folder: string,
  packages: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<InstalledProject> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fresh", version: "1.0.0", private: true }));
  const install = (names: readonly string[]) =>
    runCommand("npm", ["install", "--no-audit", "--no-fund", ...names], { cwd: folder, env });
  await install(packages);
  await install(peersOfSnippets(folder));
  return {
    folder,
    compileReadmes: async () => `${await compileSnippets(folder)} snippets`,
    goToDefinitions: async () => `${await goToDefinitions(folder)} exports`,
  };
}
