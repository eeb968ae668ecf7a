import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { apiKey, type ClientCandidate, commonHeaders, input } from "../candidate.ts";
import { heyApiModule } from "../hey-api-module.ts";

/** The exports that this candidate uses. They are declared by hand, because the module is generated only when the benchmark runs. */
interface Generated {
  client: { setConfig(config: object): void };
  getOffer(options: object): Promise<{ data: { id: string } }>;
  createOffer(options: object): Promise<{ data: { id: string } }>;
}

const { href } = heyApiModule;
const { client, getOffer, createOffer }: Generated = await import(href);
const query = { "api-version": "1.0" };

export const candidate: ClientCandidate = {
  label: "hey-api",
  usesFetch: true,
  open(baseUrl) {
    // The module would otherwise keep the fetch that was global when it was imported.
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
      import { client, getOffer } from ${JSON.stringify(fileURLToPath(heyApiModule))};
      client.setConfig({ baseUrl: "https://service.example", auth: "key", throwOnError: true });
      const { data } = await getOffer({ path: { id: "offer_1" }, query: { "api-version": "1.0" } });
      console.log(data);`,
    imports: [href],
  },
};
