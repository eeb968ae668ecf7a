import { globSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { strict } from "../../../tests/types/programs.ts";
import { runCommand } from "../../processes/run-command.ts";
import { findSnippets, type Snippet } from "../../snippets/read.ts";

/**
 * Installs packages, and the packages that their README snippets import, into a new project.
 *
 * @param packages tarballs, or names with versions
 */
export async function installPackages(
  folder: string,
  packages: readonly string[],
  env: Record<string, string | undefined> = process.env,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "fresh", version: "1.0.0", private: true }));
  const install = (names: readonly string[]) =>
    runCommand("npm", ["install", "--no-audit", "--no-fund", ...names], { cwd: folder, env });
  await install(packages);
  // The peers can be listed only now, because the READMEs come with the packages.
  await install(listSnippetPeers(folder));
}

const root = join(import.meta.dirname, "../../..");

/** Reads the TypeScript snippets in the READMEs of the packages that are installed in a project. */
const readInstalledSnippets = (project: string): readonly Snippet[] =>
  globSync("node_modules/@offers/*/README.md", { cwd: project }).flatMap((readme) =>
    Array.from(findSnippets(readme, readFileSync(join(project, readme), "utf8"))),
  );

/** Lists the packages that are needed to compile the snippets, in the versions from the workspace catalog. */
function listSnippetPeers(project: string): readonly string[] {
  const { catalog } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    catalog: Record<string, string>;
  };
  const importedNames = readInstalledSnippets(project)
    .flatMap(({ code }) => [...code.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)])
    .map(([, name = ""]) => name)
    .filter((name) => catalog[name] !== undefined && !name.startsWith("@offers/"));
  const requiredNames = ["@types/node", "@types/express", "@types/pg", "@types/aws-lambda", "openapi-fetch", "zod"];
  return [...new Set([...importedNames, ...requiredNames, "typescript"])].map((name) => `${name}@${catalog[name]}`);
}

/**
 * Compiles every TypeScript block of the installed READMEs, each as a separate module.
 *
 * @returns the number of blocks
 * @throws an error with the compiler output, in which each file name contains the package and the line of the block
 */
export async function compileSnippets(project: string): Promise<number> {
  const snippets = readInstalledSnippets(project);
  const files: string[] = [];
  for (const { source, line, code } of snippets) {
    const [, , packageName] = source.split("/");
    const file = `${packageName}-line-${line}.mts`;
    await writeFile(join(project, file), code);
    files.push(file);
  }
  const compilerOptions = {
    ...strict,
    skipLibCheck: true,
    module: "nodenext",
    moduleDetection: "force",
    // These options are the same as in the repository's own check of snippets.
    noPropertyAccessFromIndexSignature: false,
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
  };
  await writeFile(join(project, "tsconfig.snippets.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  await runCommand(process.execPath, [compiler, "-p", "tsconfig.snippets.json"], { cwd: project });
  return snippets.length;
}
