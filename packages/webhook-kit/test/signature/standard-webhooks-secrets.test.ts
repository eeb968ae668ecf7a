import { Webhook } from "standardwebhooks";
import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { verifyRequest } from "../../src/receive/verify-only.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { mount } from "../support/mount.ts";
import { createSignedRequest, whsec } from "./standard-signed.ts";

captureConsole();

const scheme = standardWebhooks();

// CVE-2026-41432 and standard-webhooks #286 are about secrets from unset variables, with or without the prefix.
const invalidSecrets = [
  "",
  "whsec_",
  "whsec_ ",
  `${whsec}\n`,
  ` ${whsec}`,
  whsec.slice(0, -1),
  `${whsec}=`,
  `whsec_${whsec}`,
  whsec.toUpperCase().replace("WHSEC_", "WHSEC-"),
  "whsec_C2FVsBQIhrscChlQIMV-b5sSYspob7oD",
  "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
];

test.each(invalidSecrets)("the secret %j is rejected at construction", async (secret) => {
  const invalidSecret = expect.objectContaining({ code: "invalid_secret" });
  for (const secretOption of [secret, [whsec, secret], [secret, whsec]]) {
    const options = { secret: secretOption, scheme, allowShortSecret: true };
    expect(() => webhookRouter(options)).toThrow(invalidSecret);
    expect(() => verifyWebhook(options)).toThrow(invalidSecret);
    await expect(verifyRequest(options, { rawHeaders: [], body: Buffer.of() })).rejects.toEqual(invalidSecret);
  }
});

test.each(["", "whsec_"])("npm standardwebhooks rejects %j as well", (secret) =>
  expect(() => new Webhook(secret)).toThrow("empty"),
);

test("the error for a rejected secret does not quote it", () => {
  const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
  expect(() => webhookRouter({ secret, scheme })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(secret.slice(0, 4)) }),
  );
});

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(invalidSecrets)("the secret %j from a function results in 503", async (secret) => {
    const onError = vi.fn();
    const request = await mount(adapter, { secret: () => secret, scheme, onError });
    expect((await request("/test/auth", createSignedRequest(undefined))).status).toBe(503);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "invalid_secret" }));
  });

  test("a valid secret from a function is used", async () => {
    const request = await mount(adapter, { secret: async () => whsec, scheme });
    expect((await request("/test/auth", createSignedRequest(undefined))).status).toBe(200);
    expect((await request("/test/auth", createSignedRequest(undefined, { secret: "whsec_YW5vdGhlcg==" }))).status).toBe(
      401,
    );
  });
});
