import { describe, expect, test, vi } from "vitest";
import { adapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";
import { createSignedHeaders } from "../support/serve.ts";

captureConsole();

describe.each(adapters)("$name", (adapter) => {
  test("a handler that throws results in a 500 without its message, and onError gets the error as the cause [D-49]", async () => {
    const onError = vi.fn();
    const cause = new Error("PRIVATE words");
    const request = await mount(adapter, { onError, onWorkerOfferResponse: () => Promise.reject(cause) });
    const response = await request("/offer/response", post(acceptedResponse));
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("PRIVATE")]);
    const [error] = onError.mock.calls[0] ?? [];
    expect(error).toMatchObject({ code: "handler_failed", cause, message: expect.not.stringContaining("PRIVATE") });
  });

  test("a clock that throws results in a 500 that does not name a handler", async () => {
    const cause = new Error("PRIVATE words");
    const now = () => {
      throw cause;
    };
    const onError = vi.fn();
    const request = await mount(adapter, { now, onError });
    const response = await request("/test/auth", { headers: createSignedHeaders() });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("PRIVATE")]);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "internal_error", cause }));
  });

  test("a handler that takes too long results in a 503, and its signal aborts", async () => {
    let aborted: Promise<unknown> | undefined;
    const request = await mount(adapter, {
      handlerTimeoutMs: 30,
      onWorkerOfferResponse: (_, { signal }) => {
        aborted = new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
        return new Promise(() => undefined);
      },
    });
    expect((await request("/offer/response", post(acceptedResponse))).status).toBe(503);
    expect(await aborted).toMatchObject({ name: "TimeoutError" });
  });
});
