import { fileURLToPath } from "node:url";
import { createClient as generate } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import { heyApiModule } from "./hey-api-module.ts";

/** Generates hey-api's client from the contract and bundles it into {@link heyApiModule}. */
export async function generateHeyApi(): Promise<void> {
  const path = fileURLToPath(new URL("source/", heyApiModule));
  const contract = fileURLToPath(new URL("../../spec/openapi.yaml", import.meta.url));
  await generate({ input: contract, output: { path }, logs: { level: "silent" } });
  const outfile = fileURLToPath(heyApiModule);
  const entry = `export * from "./sdk.gen.ts"; export { client } from "./client.gen.ts";`;
  await build({ stdin: { contents: entry, resolveDir: path }, bundle: true, format: "esm", target: "node24", outfile });
}
