import { globSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { runCommand } from "../../processes/run-command.ts";
import { type Snippet, snippetsIn } from "../../snippets.ts";
import { strict } from "../../types-matrix/programs.ts";

const root = join(import.meta.dirname, "../../..");

/** The TypeScript of the READMEs of the packages that a project has installed. */
const installedSnippets = (project: string): readonly Snippet[] =>
  globSync("node_modules/@offers/*/README.md", { cwd: project }).flatMap((readme) => [...snippetsIn(project, readme)]);

/** What the snippets import beside the packages, in the versions of the workspace's catalog. */
export function peersOfSnippets(project: string): readonly string[] {
  const { catalog } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    catalog: Record<string, string>;
  };
  const imported = installedSnippets(project)
    .flatMap(({ code }) => [...code.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)])
    .map(([, name = ""]) => name)
    .filter((name) => catalog[name] !== undefined && !name.startsWith("@offers/"));
  const types = ["@types/node", "@types/express", "@types/pg", "@types/aws-lambda", "openapi-fetch"];
  return [...new Set([...imported, ...types, "typescript"])].map((name) => `${name}@${catalog[name]}`);
}

/**
 * Compiles every TypeScript block of the installed READMEs, each as a module of its own.
 *
 * @throws with the compiler's output, which names README and line
 */
export async function compileSnippets(project: string): Promise<number> {
  const snippets = installedSnippets(project);
  const files = snippets.map(({ source, line }) => `${source.split("/")[2]}-line-${line}.mts`);
  for (const [index, file] of files.entries()) await writeFile(join(project, file), snippets[index]?.code ?? "");
  const compilerOptions = {
    ...{ ...strict, skipLibCheck: true, module: "nodenext", moduleDetection: "force" },
    // As the repository's own check of snippets has it.
    ...{ noPropertyAccessFromIndexSignature: false, lib: ["es2023", "dom", "dom.iterable"], types: ["node"] },
  };
  await writeFile(join(project, "tsconfig.snippets.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  await runCommand(process.execPath, [compiler, "-p", "tsconfig.snippets.json"], { cwd: project });
  return snippets.length;
}
