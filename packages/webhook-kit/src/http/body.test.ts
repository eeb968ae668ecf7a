import { afterEach, expect, test, vi } from "vitest";
import { readFetchBody } from "./body.ts";

afterEach(() => void vi.useRealTimers());

const rejectedWith = (reason: string) =>
  expect.objectContaining({ rejection: expect.objectContaining({ code: reason }), response: expect.anything() });
const consumed = expect.objectContaining({
  code: "body_already_consumed",
  message: expect.stringMatching(/Mount the receiver before the parser/),
});

const bytesOf = (text: string) => Buffer.from(text);

/** Creates a request whose body is a stream that records reads and does not buffer in advance. */
function requestWith(chunks: (Uint8Array | Error)[], headers: Record<string, string> = {}) {
  const pull = vi.fn(async (controller: ReadableStreamDefaultController) => {
    const chunk = chunks.shift();
    if (chunk instanceof Error) controller.error(chunk);
    else if (chunk) controller.enqueue(chunk);
    else await new Promise(() => undefined);
  });
  const cancel = vi.fn();
  const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  const init = { method: "POST", headers, body, duplex: "half" };
  return { request: new Request("http://a.example/", init), pull, cancel };
}

const streamOf = (text: string) => new Response(text).body;

test("the bytes of all chunks are joined", async () => {
  const chunks = ["gar", "", "\u{1F511}", "!"].map(bytesOf);
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const request = { body, bodyUsed: false, headers: new Headers() };
  expect(await readFetchBody(request, 100, 1000)).toEqual({ kind: "bytes", bytes: bytesOf("gar\u{1F511}!") });
});

test.each([null, streamOf("")])("a missing body counts as empty (%#)", async (body) =>
  expect(await readFetchBody({ body, bodyUsed: false, headers: new Headers() }, 100, 1000)).toEqual({
    kind: "bytes",
    bytes: bytesOf(""),
  }),
);

test("a body exactly as long as the limit is read", async () => {
  const request = { body: streamOf("12345"), bodyUsed: false, headers: new Headers({ "content-length": "5" }) };
  expect(await readFetchBody(request, 5, 1000)).toEqual({ kind: "bytes", bytes: bytesOf("12345") });
});

test("a body above the limit is rejected, and the rest of it is not read", async () => {
  const { request, pull, cancel } = requestWith([bytesOf("123"), bytesOf("456"), bytesOf("789")]);
  await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(rejectedWith("body_too_large"));
  expect([pull.mock.calls.length, cancel.mock.calls.length]).toEqual([2, 1]);
});

test("a body with too large a Content-Length is rejected unread", async () => {
  const { request, pull, cancel } = requestWith([bytesOf("123456")], { "content-length": "6" });
  await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(rejectedWith("body_too_large"));
  expect([pull.mock.calls.length, cancel.mock.calls.length, request.body?.locked]).toEqual([0, 0, false]);
});

test("a Content-Length that is not a number is ignored", async () => {
  const request = { body: streamOf("123456"), bodyUsed: false, headers: new Headers({ "content-length": "few" }) };
  await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(rejectedWith("body_too_large"));
});

test("a body that takes too long to arrive is abandoned", async () => {
  vi.useFakeTimers();
  const { request, cancel } = requestWith([bytesOf("123")]);
  const received = readFetchBody(request, 5, 1000);
  received.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(999);
  expect(cancel).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await expect(received).rejects.toEqual(rejectedWith("body_timeout"));
  expect(cancel).toHaveBeenCalledTimes(1);
});

test("a truncated body is rejected as incomplete", async () => {
  const { request } = requestWith([bytesOf("123"), new Error("reset")]);
  await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(rejectedWith("body_incomplete"));
});

test("a stream that cannot be cancelled does not change the result", async () => {
  const { request, cancel } = requestWith([bytesOf("123456")]);
  cancel.mockRejectedValue(new Error("cannot"));
  await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(rejectedWith("body_too_large"));
});

test("a body that other code has read or locked counts as consumed", async () => {
  const readRequest = new Request("http://a.example/", { method: "POST", body: "{}" });
  await readRequest.text();
  const { request: locked } = requestWith([bytesOf("{}")]);
  locked.body?.getReader();
  // Not every runtime locks a body that it has read.
  const unlocked = { body: streamOf("{}"), bodyUsed: true, headers: new Headers() };
  for (const request of [readRequest, locked, unlocked])
    await expect(readFetchBody(request, 5, 1000)).rejects.toEqual(consumed);
});

test("readFetchBody clears its timer, whether it succeeds or fails", async () => {
  vi.useFakeTimers();
  const bodies = [[bytesOf("123456")], [new Error("reset")]];
  for (const chunks of bodies)
    await expect(readFetchBody(requestWith(chunks).request, 5, 1000)).rejects.toEqual(expect.anything());
  await readFetchBody({ body: streamOf("1"), bodyUsed: false, headers: new Headers() }, 5, 1000);
  expect(vi.getTimerCount()).toBe(0);
});
