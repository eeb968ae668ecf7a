import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { createClient as generate } from "@hey-api/openapi-ts";
import { build } from "esbuild";
import { apiKey, type Contender, commonHeaders, input } from "../contender.ts";

/** Of what is generated, the part that is used here; its types come with the run. */
interface Generated {
  client: { setConfig(config: object): void };
  getOffer(options: object): Promise<{ data: { id: string } }>;
  createOffer(options: object): Promise<{ data: { id: string } }>;
}

const folder = new URL("../../.cache/hey-api/", import.meta.url);

/** Generates a client from the contract, and makes one module of it: what Node and a bundler read. */
export async function generateHeyApi(): Promise<Contender> {
  const path = fileURLToPath(new URL("source/", folder));
  const contract = fileURLToPath(new URL("../../../spec/openapi.yaml", import.meta.url));
  await generate({ input: contract, output: { path }, logs: { level: "silent" } });
  const outfile = fileURLToPath(new URL("client.mjs", folder));
  const entry = `export * from "./sdk.gen.ts"; export { client } from "./client.gen.ts";`;
  await build({ stdin: { contents: entry, resolveDir: path }, bundle: true, format: "esm", target: "node24", outfile });
  const { href } = new URL("client.mjs", folder);
  const { client, getOffer, createOffer }: Generated = await import(href);
  const query = { "api-version": "1.0" };
  return {
    label: "hey-api",
    usesFetch: true,
    open(baseUrl) {
      // Over the fetch of this moment, as the others that keep one.
      client.setConfig({ baseUrl, fetch: globalThis.fetch, auth: apiKey, headers: commonHeaders, throwOnError: true });
      return {
        read: async () => (await getOffer({ path: { id: "offer_4f1c2a" }, query })).data,
        async create() {
          const headers = { "Idempotency-Key": randomUUID() };
          return (await createOffer({ body: input, headers, query })).data;
        },
      };
    },
    package: {
      program: `
        import { client, getOffer } from ${JSON.stringify(outfile)};
        client.setConfig({ baseUrl: "https://service.example", auth: "key", throwOnError: true });
        const { data } = await getOffer({ path: { id: "offer_1" }, query: { "api-version": "1.0" } });
        console.log(data);`,
      imports: [href],
    },
  };
}
