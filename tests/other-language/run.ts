// A client in another language, generated from spec/openapi.yaml by another generator, drives the platform through
// the story: OpenAPI::Client of Perl, which Debian packages.
//   apt-get install libopenapi-client-perl
//   npm run check -- other-language
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { startDemoPlatform } from "../../scripts/processes/demo-platform.ts";

const root = resolve(import.meta.dirname, "../..");

if (spawnSync("perl", ["-MOpenAPI::Client", "-e", "1"], { stdio: "ignore" }).status !== 0) {
  console.error("This needs Perl with OpenAPI::Client: apt-get install libopenapi-client-perl");
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), "offers-other-language-"));
const platform = await startDemoPlatform();
try {
  const document = join(folder, "openapi.json");
  await writeFile(
    document,
    JSON.stringify(asVersion30(parse(await readFile(join(root, "spec/openapi.yaml"), "utf8")))),
  );
  const { status } = spawnSync("perl", [join(import.meta.dirname, "story.pl"), document, platform.address], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  await platform.stop();
  await rm(folder, { recursive: true });
}

/** The generator knows OpenAPI 3.0; what this document uses of 3.1 is three members, none of which shapes an operation. */
function asVersion30({ webhooks: _, ...document }: Record<string, unknown>): Record<string, unknown> {
  const { summary: _summary, license: _license, ...info } = document.info as Record<string, unknown>;
  return { ...document, openapi: "3.0.3", info };
}
