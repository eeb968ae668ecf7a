import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { apiKey, type ClientCandidate, commonHeaders, input } from "../candidate.ts";
import { heyApiModule } from "../hey-api-module.ts";

/** The part of the generated module that is used; its types do not exist before the run. */
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
    // Uses the current fetch, like the others that keep one.
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
