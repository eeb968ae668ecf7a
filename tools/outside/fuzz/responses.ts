import assert from "node:assert/strict";
import { createOffer, getOffer, withdrawOffer } from "../../../packages/client/src/call/operations.ts";
import { readResponse } from "../../../packages/client/src/call/read-response.ts";
import { isOffersError } from "../../../packages/client/src/errors/error-classes.ts";
import { readJsonText } from "./made-value.ts";
import type { FuzzTarget } from "./target.ts";

const names = [
  "id",
  "title",
  "details",
  "isHistoric",
  "widthdrawn",
  "complete",
  "locationPlaceId",
  "createdAt",
  "events",
  "recipients",
  "workerId",
  "name",
  "response",
  "confirmation",
  "detail",
  "status",
  "errors",
  "type",
  "code",
  "toString",
];
const key = "key-of-nobody";
const texts = [
  "offer_1",
  "worker_amal",
  "applied",
  "2099-05-01T16:00:00Z",
  "9007199254740993",
  key,
  "1",
  "",
  "__proto__",
];
const body = JSON.stringify({ title: "Kitchen help", workerIds: ["worker_amal"] });
const codes =
  /^(?:invalid_response|response_too_large|unexpected_redirect|unauthenticated|forbidden|not_found|conflict|rate_limited|server_error|bad_request)$/;
const statuses = [200, 201, 204, 301, 304, 400, 401, 403, 404, 408, 409, 418, 429, 500, 503, 999];

/** The responses of a service: data of the contract's shape, or an error with one of the client's codes and without the API key. */
export const response: FuzzTarget = {
  words: [
    "\x01",
    ...names.map((name) => `"${name}":`),
    ...texts.map((text) => JSON.stringify(text)),
    "\\u006bey-of-nobody",
  ],
  fuzz(data) {
    const [choice = 0] = data;
    const status = statuses[choice % statuses.length] ?? 200;
    const text = readJsonText(data.subarray(1), names, texts);
    for (const operation of [createOffer, getOffer, withdrawOffer]) {
      const headers = new Headers({ "retry-after": "120", "x-request-id": `request of ${key}` });
      const paths: string[] = [];
      let result: unknown;
      try {
        result = readResponse<unknown>(
          operation as typeof getOffer,
          { response: { status, headers } as Response, text },
          { body, id: "offer_1", key, maxResponseBytes: 1_000_000 },
          (path) => void paths.push(path),
        );
      } catch (error) {
        assert.ok(isOffersError(error), `readResponse threw ${error}`);
        assert.match(error.code, codes);
        assert.equal(error.status, status);
        assert.ok(!`${error.message} ${JSON.stringify(error)} ${error.stack}`.includes(key), "the API key is redacted");
        continue;
      }
      assert.ok(status >= 200 && status < 300, "data comes with a status of success alone");
      if (operation === createOffer) assert.match(String((result as { id: unknown }).id), /./s);
      if (operation === getOffer) checkOffer(result as Record<string, unknown>);
    }
  },
};

function checkOffer(offer: Record<string, unknown>): void {
  for (const name of ["title", "details", "locationPlaceId", "createdAt"])
    assert.equal(typeof offer[name], "string", name);
  for (const name of ["isHistoric", "widthdrawn", "complete"]) assert.equal(typeof offer[name], "boolean", name);
  for (const name of ["events", "recipients"]) assert.ok(Array.isArray(offer[name]), name);
  assert.ok(typeof offer.id === "string" && offer.id !== "");
  for (const { id, workerId, response } of offer.recipients as Record<string, unknown>[]) {
    assert.ok(typeof workerId === "string" && workerId !== "" && typeof response === "string");
    assert.ok(id === undefined || Number.isFinite(id));
  }
}
