import { globSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { launchServer } from "@typescript/server-harness";
import { parse } from "yaml";
import { strict } from "../../../tests/types/programs.ts";
import { runCommand } from "../../processes/run-command.ts";
import { type Snippet, snippetsIn } from "../../snippets/read.ts";

/** A project that has installed the packages, and the imports of their READMEs. */
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

/** Ten exports of both packages and several of their entries: classes, functions and types. */
const exported = [
  ["OffersClient", "@offers/client"],
  ["isOffersError", "@offers/client"],
  ["OfferInput", "@offers/client"],
  ["RateLimitError", "@offers/client"],
  ["createTestService", "@offers/client/testing"],
  ["verifyRequest", "@offers/webhook-kit"],
  ["ReceiverOptions", "@offers/webhook-kit"],
  ["webhookRouter", "@offers/webhook-kit/express"],
  ["parseWebhook", "@offers/webhook-kit/fetch"],
  ["signHeaders", "@offers/webhook-kit/testing"],
] as const;

/**
 * Goes to each definition in a project, with an editor's language server.
 *
 * @throws if that is not the declaration in a package's source
 */
export async function goToDefinitions(project: string): Promise<number> {
  const server = createRequire(join(project, "package.json")).resolve("typescript/lib/tsserver.js");
  const languageServer = launchServer(server, ["--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"]);
  try {
    const file = join(project, "definitions.mts");
    await writeFile(file, exported.map(([name, module]) => `import { ${name} } from "${module}";\n`).join(""));
    await languageServer.message({ seq: 0, type: "request", command: "open", arguments: { file } });
    for (const [index, [name]] of exported.entries()) {
      const position = { file, line: index + 1, offset: "import { ".length + 1 };
      const request = { seq: index + 1, type: "request", command: "definition", arguments: position };
      const [definition] = (await languageServer.message(request)).body as Definition[];
      const { file: source = "", start } = definition ?? {};
      const line = (await readFile(source, "utf8").catch(() => "")).split("\n")[(start?.line ?? 0) - 1] ?? "";
      if (!/\/node_modules\/@offers\/[\w-]+\/src\/[\w/-]+\.ts$/.test(source) || !new RegExp(`\\b${name}\\b`).test(line))
        throw new Error(`the definition of ${name} is at ${source}: ${line}`);
    }
    return exported.length;
  } finally {
    await languageServer.exitOrKill(5_000);
  }
}

interface Definition {
  file: string;
  start: { line: number; offset: number };
}

const root = join(import.meta.dirname, "../../..");

/** The TypeScript of the READMEs of the packages that a project has installed. */
const installedSnippets = (project: string): readonly Snippet[] =>
  globSync("node_modules/@offers/*/README.md", { cwd: project }).flatMap((readme) => [
    ...snippetsIn(readme, readFileSync(join(project, readme), "utf8")),
  ]);

/** What the snippets import in addition to the packages, in the versions of the workspace's catalog. */
export function peersOfSnippets(project: string): readonly string[] {
  const { catalog } = parse(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8")) as {
    catalog: Record<string, string>;
  };
  const imported = installedSnippets(project)
    .flatMap(({ code }) => [...code.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)[^"]*"/g)])
    .map(([, name = ""]) => name)
    .filter((name) => catalog[name] !== undefined && !name.startsWith("@offers/"));
  const types = ["@types/node", "@types/express", "@types/pg", "@types/aws-lambda", "openapi-fetch", "zod"];
  return [...new Set([...imported, ...types, "typescript"])].map((name) => `${name}@${catalog[name]}`);
}

/**
 * Compiles every TypeScript block of the installed READMEs, each as a separate module.
 *
 * @throws with the compiler's output, which names README and line
 */
export async function compileSnippets(project: string): Promise<number> {
  const snippets = installedSnippets(project);
  const files = snippets.map(({ source, line }) => `${source.split("/")[2]}-line-${line}.mts`);
  for (const [index, file] of files.entries()) await writeFile(join(project, file), snippets[index]?.code ?? "");
  const compilerOptions = {
    ...strict,
    skipLibCheck: true,
    module: "nodenext",
    moduleDetection: "force",
    // The same options as the repository's own check of snippets.
    noPropertyAccessFromIndexSignature: false,
    lib: ["es2023", "dom", "dom.iterable"],
    types: ["node"],
  };
  await writeFile(join(project, "tsconfig.snippets.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(project, "node_modules/typescript/bin/tsc");
  await runCommand(process.execPath, [compiler, "-p", "tsconfig.snippets.json"], { cwd: project });
  return snippets.length;
}
