import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { launchServer } from "@typescript/server-harness";

/** Ten exports, of both packages and several of their entries: classes, functions and types. */
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
 * Goes to the definition of each in a project, with an editor's language server.
 *
 * @throws where that is not its declaration in a package's source
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
