import express from "express";
import { expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { createJsonHeaders, secret, serve } from "../support/serve.ts";

/** Creates a list of suggestions that is slightly larger than `bytes` when serialised as JSON. */
const createSuggestions = (bytes: number) => [
  { name: "x".repeat(bytes), emailAddress: "dana.kim@example.com", ratings: [] },
];

test.each([
  ["is sent if it is a little smaller than 1 MiB", 1_048_000, 200],
  ["gets a 500 if it is larger than 1 MiB, and onError gets the error", 1_048_576, 500],
])("a list of suggestions %s", async (_description, bytes, status) => {
  const onError = vi.fn();
  const { url } = await serve(
    express().use(webhookRouter({ secret, onError, suggestContacts: () => createSuggestions(bytes) })),
  );
  const response = await fetch(`${url}/contact-suggestions`, {
    method: "POST",
    headers: createJsonHeaders(),
    body: JSON.stringify({ userEmailAddresses: [] }),
  });
  expect(response.status).toBe(status);
  await response.text();
  expect(onError.mock.calls.map(([error]) => error.code)).toEqual(status === 500 ? ["invalid_handler_result"] : []);
});
