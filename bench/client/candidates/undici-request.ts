import { randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import { type ClientCandidate, commonHeaders, input } from "../candidate.ts";

/** The fastest HTTP client for Node, without timeouts, retries or typed errors. */
export const candidate: ClientCandidate = {
  label: "bare undici.request",
  usesFetch: false,
  open(baseUrl) {
    const dispatcher = new Agent({ allowH2: false });
    const sendRequest = async (
      method: string,
      path: string,
      headers: Record<string, string>,
      requestBody: string | null,
    ) => {
      const url = `${baseUrl}${path}?api-version=1.0`;
      const { statusCode, body } = await request(url, { dispatcher, method, headers, body: requestBody });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      return (await body.json()) as { id: string };
    };
    return {
      read: () => sendRequest("GET", "/offer/offer_4f1c2a", commonHeaders, null),
      create() {
        const headers = { ...commonHeaders, "content-type": "application/json", "idempotency-key": randomUUID() };
        return sendRequest("POST", "/offer", headers, JSON.stringify(input));
      },
    };
  },
  package: {
    program: `
      import { request } from "undici";
      const { statusCode, body } = await request("https://service.example/offer/offer_1?api-version=1.0", {
        headers: { "x-ue-api-subscription-key": "key" },
      });
      if (statusCode !== 200) throw new Error(String(statusCode));
      console.log(await body.json());`,
    platform: "node",
    imports: ["undici"],
  },
};
