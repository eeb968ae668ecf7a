import { describe, expect, test, vi } from "vitest";
import { sampleAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { mount } from "../support/mount.ts";
import { createSignedHeaders, secret } from "../support/serve.ts";

captureConsole();

describe.each(sampleAdapters)("$name", (adapter) => {
  test("a secret function that throws or returns an invalid secret always results in 503 [D-17]", async () => {
    const cause = new Error("the vault is sealed");
    for (const [secretFunction, code] of [
      [() => Promise.reject(cause), "secret_lookup_failed"],
      [() => "", "invalid_secret"],
      [() => ["short"], "invalid_secret"],
      [() => null as unknown as string, "invalid_secret"],
    ] as const) {
      const onError = vi.fn();
      const request = await mount(adapter, { secret: secretFunction, onError });
      const response = await request("/test/auth", { headers: createSignedHeaders() });
      expect([response.status, await response.text()]).toEqual([503, expect.not.stringContaining("vault")]);
      expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code }));
    }
  });

  test("the secret function is not called for malformed or stale headers", async () => {
    const lookUpSecret = vi.fn(() => secret);
    const request = await mount(adapter, { secret: lookUpSecret });
    await request("/test/auth");
    await request("/test/auth", { headers: { ...createSignedHeaders(), Timestamp: "2018-11-26T10:55Z" } });
    expect(lookUpSecret).not.toHaveBeenCalled();
  });

  test("during rotation, both secrets are accepted, and onVerified reports which one was used", async () => {
    const onVerified = vi.fn();
    const request = await mount(adapter, { secret: ["a-new-secret-of-some-length", secret], onVerified });
    expect((await request("/test/auth", { headers: createSignedHeaders() })).status).toBe(200);
    expect(onVerified).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ secretIndex: 1, variant: "sha256" }));
  });
});
