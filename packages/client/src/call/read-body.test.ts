import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { FetchResponse } from "../http.ts";
import { readBody } from "./read-body.ts";

const title = "Küchenhilfe 🍳";
const bytes = new TextEncoder().encode(`\uFEFF${title}`);
/** The last chunk starts in the middle of the emoji. */
const chunks = [bytes.slice(0, 2), bytes.slice(2, 6), bytes.slice(6, -2), bytes.slice(-2)];

function createStreamedResponse(bodyChunks: Uint8Array[], error?: Error): FetchResponse {
  const remainingChunks = [...bodyChunks];
  return new Response(
    new ReadableStream({
      pull(controller) {
        const chunk = remainingChunks.shift();
        if (chunk) controller.enqueue(chunk);
        else if (error) controller.error(error);
        else controller.close();
      },
    }),
  );
}

test("a body is decoded correctly however it is split into chunks, even while a second body is being read", async () => {
  expect(await readBody(createStreamedResponse(chunks), 99)).toBe(title);
  const singleBytes = Array.from(bytes, (byte) => Uint8Array.of(byte));
  const bodies = [readBody(createStreamedResponse(singleBytes), 99), readBody(createStreamedResponse(chunks), 99)];
  expect(await Promise.all(bodies)).toEqual([title, title]);
});

test("a body that breaks off within a character does not affect the next body", async () => {
  const brokenResponse = createStreamedResponse(chunks.slice(0, 3).concat(new Uint8Array()), new Error("reset"));
  await expect(readBody(brokenResponse, 99)).rejects.toThrow("reset");
  expect(await readBody(createStreamedResponse([bytes]), 99)).toBe(title);
});

test("the limit applies to the decompressed body, even if its Content-Length is smaller", async () => {
  let pullCount = 0;
  const stream = new ReadableStream({
    pull(controller) {
      pullCount += 1;
      if (pullCount <= 9) controller.enqueue(new Uint8Array(100));
    },
  });
  const response = new Response(stream, { headers: { "content-length": "20", "content-encoding": "gzip" } });
  expect(await readBody(response, 250)).toBeUndefined();
  expect(pullCount).toBeLessThan(9);
});

test("a body whose Content-Length is too large is not read, even if it is not a web stream", async () => {
  let isCancelled = false;
  const cancel = () => {
    isCancelled = true;
  };
  const headers = new Headers({ "content-length": "251" });
  expect(await readBody(new Response(new ReadableStream({ cancel }), { headers }), 250)).toBeUndefined();
  expect(isCancelled).toBe(true);
  // The shape of node-fetch's response.
  const nodeFetchResponse = { status: 200, headers, body: new Readable() as never, text: () => expect.unreachable() };
  expect(await readBody(nodeFetchResponse, 250)).toBeUndefined();
});
