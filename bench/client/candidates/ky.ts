import { randomUUID } from "node:crypto";
import ky from "ky";
import { type ClientCandidate, commonHeaders, input } from "../candidate.ts";

export const candidate: ClientCandidate = {
  label: "ky",
  usesFetch: true,
  open(prefix) {
    const client = ky.create({ prefix, headers: commonHeaders, searchParams: { "api-version": "1.0" } });
    return {
      read: () => client.get("offer/offer_4f1c2a").json<{ id: string }>(),
      create() {
        const headers = { "idempotency-key": randomUUID() };
        return client.post("offer", { json: input, headers }).json<{ id: string }>();
      },
    };
  },
  package: {
    program: `
      import ky from "ky";
      const searchParams = { "api-version": "1.0" };
      const headers = { "x-ue-api-subscription-key": "key" };
      console.log(await ky.get("https://service.example/offer/offer_1", { headers, searchParams }).json());`,
    imports: ["ky"],
  },
};
