import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { startDemoPlatform } from "../../scripts/processes/demo-platform.ts";
import { listen } from "../../scripts/processes/listen.ts";

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The reference platform with its demo data. Hana uses the portal, and Amal and Ben use the worker app. Hana's endpoint is a test server. */
export interface Integration {
  platform: string;
  apiKey: string;
  /** The requests to the endpoint, in order. The endpoint responds to each with 200. */
  webhooks: readonly ReceivedWebhook[];
  /** Saves the company profile with this secret, or rotates the profile's secret to it. */
  saveProfile(change: "save" | "rotate", secret: string): Promise<void>;
  /** Creates an offer for Amal and Ben. @param doWorkersApply whether both apply to it @returns the offer id */
  createOffer(doWorkersApply?: boolean): Promise<string>;
  /** Creates an offer to which Amal applies. Resolves once the webhook is acknowledged. @returns the delivery id */
  deliverResponse(): Promise<string>;
  stop(): Promise<void>;
}

/** The time limit for a delivery, which is far longer than one takes even on a busy machine. */
const deliveryTimeoutMs = 60_000;

export async function startIntegration(): Promise<Integration> {
  const webhooks: ReceivedWebhook[] = [];
  const endpoint = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    webhooks.push({ method, path, headers, body: Buffer.concat(chunks) });
    response.end();
  });
  const platform = await startDemoPlatform({ OFFERS_RATE_LIMIT: "off", OFFERS_PERSON_RATE_LIMIT: "off" });
  const apiKey = "demo-key-harbour";
  const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await fetch(platform.address + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return text === "" ? {} : JSON.parse(text);
  };
  const signIn = async (path: string, credentials: object) => {
    const { token } = await call("POST", path, {}, { ...credentials, password: "demo-password" });
    return { authorization: `Bearer ${token}` };
  };
  const hanaHeaders = await signIn("/portal/session", { emailAddress: "hana@harbour-hotels.example" });
  const signInWorker = (workerId: string) => signIn("/worker-app/session", { workerId });
  const [amalHeaders, benHeaders] = [await signInWorker("worker_amal"), await signInWorker("worker_ben")];
  const apply = (workerHeaders: typeof amalHeaders, offerId: string) =>
    call("POST", `/worker-app/offers/${offerId}/apply`, workerHeaders);
  const createOffer = async (doWorkersApply = false): Promise<string> => {
    const offer = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal", "worker_ben"] };
    const { id } = await call("POST", "/offer", { "x-ue-api-subscription-key": apiKey }, offer);
    if (doWorkersApply) for (const workerHeaders of [amalHeaders, benHeaders]) await apply(workerHeaders, id);
    return id;
  };
  return {
    platform: platform.address,
    apiKey,
    webhooks,
    async saveProfile(change, secret) {
      const profile = { baseAddress: endpoint.address, scheme: "timestampDigestAndStandardWebhooks" };
      if (change === "rotate") await call("POST", "/portal/profile/rotation", hanaHeaders, { secret });
      else await call("PUT", "/portal/profile", hanaHeaders, { ...profile, secret, suggestsContacts: true });
    },
    createOffer,
    async deliverResponse() {
      const offerId = await createOffer();
      await apply(amalHeaders, offerId);
      for (const end = Date.now() + deliveryTimeoutMs; Date.now() < end; await pause(50)) {
        const { deliveries } = await call("GET", "/portal/deliveries?state=acknowledged&limit=5", hanaHeaders);
        const delivery = deliveries.find(({ data }: { data: { offerId: string } }) => data.offerId === offerId);
        if (delivery) return delivery.id;
      }
      throw new Error("the webhook for a worker's response was not acknowledged");
    },
    async stop() {
      await platform.stop();
      await endpoint.close();
    },
  };
}
