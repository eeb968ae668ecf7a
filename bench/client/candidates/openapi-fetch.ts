import { randomUUID } from "node:crypto";
import type { paths } from "@offers/contract/openapi";
import createClient from "openapi-fetch";
import { type ClientCandidate, commonHeaders, input } from "../candidate.ts";

/** A client typed by the contract. It returns errors instead of throwing them, so the caller checks for them. */
export const candidate: ClientCandidate = {
  label: "openapi-fetch",
  usesFetch: true,
  open(baseUrl) {
    const client = createClient<paths>({ baseUrl, headers: commonHeaders });
    const query = { "api-version": "1.0" } as const;
    return {
      async read() {
        const { data, response } = await client.GET("/offer/{id}", { params: { path: { id: "offer_4f1c2a" }, query } });
        if (!data) throw new Error(`status ${response.status}`);
        return data;
      },
      async create() {
        const params = { query, header: { "Idempotency-Key": randomUUID() } };
        const { data, response } = await client.POST("/offer", { params, body: input });
        if (!data) throw new Error(`status ${response.status}`);
        return data;
      },
    };
  },
  package: {
    program: `
      import createClient from "openapi-fetch";
      const client = createClient({
        baseUrl: "https://service.example",
        headers: { "x-ue-api-subscription-key": "key" },
      });
      const params = { path: { id: "offer_1" }, query: { "api-version": "1.0" } };
      const { data, response } = await client.GET("/offer/{id}", { params });
      if (!data) throw new Error(String(response.status));
      console.log(data);`,
    imports: ["openapi-fetch"],
  },
};
