import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, mount } from "../support/mount.ts";
import { whsec } from "./standard-signed.ts";

captureConsole();

const scheme = standardWebhooks();
const body = JSON.stringify({ ...acceptedResponse, workerId: "Zoë 東京 🦊" });

/** Creates headers that `standardwebhooks` from npm signs, as other senders do. */
function signWithNpm(message: { secret?: string; now?: Date; text?: string } = {}) {
  const { secret = whsec, now = new Date(), text = body } = message;
  const id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";
  const signature = new Webhook(secret).sign(id, now, text);
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-signature": signature,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
  };
}

const { vectors } = JSON.parse(
  readFileSync(new URL("../../../../spec/vectors/standard-webhooks.json", import.meta.url), "utf8"),
) as { vectors: { name: string; secret: string; id: string; timestamp: string; bodyHex: string; signature: string }[] };

const isUtf8 = (bytes: Buffer) => Buffer.from(bytes.toString()).equals(bytes);
const utf8Vectors = vectors.filter(({ bodyHex }) => isUtf8(Buffer.from(bodyHex, "hex")));

test.each(utf8Vectors)(
  "npm standardwebhooks creates the same signature as openssl: $name",
  ({ secret, id, timestamp, bodyHex, signature }) =>
    expect(
      new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), Buffer.from(bodyHex, "hex").toString()),
    ).toBe(`v1,${signature}`),
);

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each([whsec, whsec.slice("whsec_".length)])(
    "messages that npm standardwebhooks signs with %s are accepted",
    async (secret) => {
      const onWorkerOfferResponse = vi.fn();
      const onVerified = vi.fn();
      const request = await mount(adapter, { secret, scheme, onWorkerOfferResponse, onVerified });
      const response = await request("/offer/response", { method: "POST", headers: signWithNpm({ secret }), body });
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(JSON.parse(body), expect.anything());
      expect(onVerified).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ scheme: "standard-webhooks", variant: "v1", secretIndex: 0 }),
      );
    },
  );

  test("a message that npm standardwebhooks signed with the old and the new secret is accepted with either", async () => {
    const newSecret = "whsec_bmV3IHNlY3JldCBvZiB0d2VudHkgYnl0ZXM=";
    const now = new Date();
    const headers = signWithNpm({ now });
    headers["webhook-signature"] += ` ${signWithNpm({ secret: newSecret, now })["webhook-signature"]} v1a,bm90IHJlYWQ=`;
    for (const secret of [whsec, newSecret, [newSecret, whsec]]) {
      const request = await mount(adapter, { secret, scheme });
      // This request lacks the body that the signature covers.
      expect((await request("/test/auth", { headers })).status).toBe(401);
      const onWorkerOfferResponse = vi.fn();
      const sendEvent = await mount(adapter, { secret, scheme, onWorkerOfferResponse });
      expect((await sendEvent("/offer/response", { method: "POST", headers, body })).status).toBe(200);
      expect(onWorkerOfferResponse).toHaveBeenCalledOnce();
    }
  });

  test("the kit accepts a request without a body if npm standardwebhooks signed an empty body", async () => {
    const request = await mount(adapter, { secret: whsec, scheme });
    const headers = signWithNpm({ text: "" });
    expect((await request("/test/auth", { headers })).status).toBe(200);
    expect((await request("/test")).status).toBe(200);
    const rejectedResponse = await request("/test/auth");
    expect([rejectedResponse.status, rejectedResponse.headers.get("www-authenticate")]).toEqual([
      401,
      "standard-webhooks",
    ]);
  });

  test("npm standardwebhooks and the kit reject messages that were signed too long ago or in the future", async () => {
    const request = await mount(adapter, { secret: whsec, scheme, onWorkerOfferResponse: vi.fn() });
    // Both allow 300 s. Timestamps are rounded down to seconds.
    for (const seconds of [-302, 302]) {
      const headers = signWithNpm({ now: new Date(Date.now() + seconds * 1000) });
      expect(() => new Webhook(whsec).verify(body, headers)).toThrow("Message timestamp too");
      expect((await request("/offer/response", { method: "POST", headers, body })).status).toBe(401);
    }
  });
});

test.each([body, "{}", "", '{"name":"Zoe\u0308"}', "\ufeff{}"])(
  "npm standardwebhooks accepts messages signed by the kit: %j",
  (text) => {
    for (const secret of [whsec, whsec.slice("whsec_".length)]) {
      const headers = scheme.sign({ secret, now: new Date(), body: Buffer.from(text) });
      expect(() => new Webhook(secret).verify(text, headers, { jsonParse: false })).not.toThrow();
      expect(() => new Webhook(secret).verify(`${text} `, headers, { jsonParse: false })).toThrow("No matching");
    }
  },
);

// standardwebhooks 1.1.1 accepts each of these messages, but the kit must reject them.
describe("where npm standardwebhooks is lenient", () => {
  const verify = (headers: Record<string, string>, bytes: Uint8Array) => {
    const parsed = scheme.parse(Object.entries(headers).flat());
    return "code" in parsed ? parsed.code : scheme.verify(parsed, [whsec], bytes);
  };

  test("npm standardwebhooks accepts 1700000000junk as a time, but the kit does not", () => {
    const headers = signWithNpm();
    headers["webhook-timestamp"] += "junk";
    expect(() => new Webhook(whsec).verify(body, headers)).not.toThrow();
    expect(verify(headers, Buffer.from(body))).toBe("malformed_timestamp");
  });

  test("npm standardwebhooks creates the same signature for bodies with different invalid bytes, but the kit does not", () => {
    const signedBody = Buffer.from([0x22, 0xff, 0x22]);
    const forgedBody = Buffer.from([0x22, 0xfe, 0x22]);
    const npmWebhook = new Webhook(whsec);
    const now = new Date();
    expect(npmWebhook.sign("msg_1", now, signedBody)).toBe(npmWebhook.sign("msg_1", now, forgedBody));
    const headers = scheme.sign({ secret: whsec, now, id: "msg_1", body: signedBody });
    expect(verify(headers, signedBody)).toMatchObject({ variant: "v1" });
    expect(verify(headers, forgedBody)).toBeUndefined();
  });

  test("npm standardwebhooks reads part of the id as the time, but the kit does not [D-65]", () => {
    const now = new Date();
    const seconds = Math.floor(now.getTime() / 1000);
    const signature = new Webhook(whsec).sign("msg_1", new Date((seconds - 9_000) * 1000), `${seconds}.{}`);
    const headers = {
      "webhook-id": `msg_1.${seconds - 9_000}`,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signature,
    };
    expect(() => new Webhook(whsec).verify("{}", headers)).not.toThrow();
    expect(verify(headers, Buffer.from("{}"))).toBe("malformed_webhook_id");
  });
});
