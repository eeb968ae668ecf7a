import { randomUUID } from "node:crypto";
import axios, { type CreateAxiosDefaults } from "axios";
import { type Calls, type ClientCandidate, commonHeaders, input } from "../candidate.ts";

/** Creates an axios instance for both calls. */
export function openAxios(baseURL: string, options: CreateAxiosDefaults = {}): Calls {
  const client = axios.create({ ...options, baseURL, headers: commonHeaders, params: { "api-version": "1.0" } });
  return {
    read: async () => (await client.get<{ id: string }>("/offer/offer_4f1c2a")).data,
    async create() {
      const headers = { "idempotency-key": randomUUID() };
      return (await client.post<{ id: string }>("/offer", input, { headers })).data;
    },
  };
}

/** Uses axios's default adapter, which on Node is `node:http`. */
export const candidate: ClientCandidate = {
  label: "axios",
  usesFetch: false,
  open: (baseUrl) => openAxios(baseUrl),
  package: {
    program: `
      import axios from "axios";
      const params = { "api-version": "1.0" };
      const headers = { "x-ue-api-subscription-key": "key" };
      const { data } = await axios.get("https://service.example/offer/offer_1", { headers, params });
      console.log(data);`,
    imports: ["axios"],
  },
};
