import assert from "node:assert/strict";
import type { HandledEndpoint } from "../../../packages/webhook-kit/src/endpoints/endpoint.ts";
import { endpoints, eventEndpoints } from "../../../packages/webhook-kit/src/endpoints/endpoints.ts";
import { parseWebhookEvent } from "../../../packages/webhook-kit/src/endpoints/parse-webhook-event.ts";
import { isJson, parseJson, validateInput } from "../../../packages/webhook-kit/src/endpoints/read-input.ts";
import { isWebhookKitError } from "../../../packages/webhook-kit/src/errors/errors.ts";
import { Rejected } from "../../../packages/webhook-kit/src/http/rejected.ts";
import { readJsonText } from "./made-value.ts";
import { type FuzzTarget, readParts } from "./target.ts";

const names = [
  "offerId",
  "workerId",
  "response",
  "eventStart",
  "periodStart",
  "periodEnd",
  "completedAt",
  "maxAvailableNow",
  "filter",
  "userEmailAddresses",
  "type",
  "data",
  "receivedAt",
  "source",
  "deduplicationKey",
  "trace",
  "traceparent",
];
const texts = [
  "offer_1",
  "accepted",
  "hana@harbour-hotels.example",
  "2099-05-01T16:00:00Z",
  "2099-05-01",
  "WorkerOfferResponse",
  "WorkerAddedContact",
  "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "feed",
  "12345678901234567890",
  "__proto__",
  "",
];
const handled: readonly HandledEndpoint[] = [...eventEndpoints, endpoints["/contact-suggestions"] as HandledEndpoint];

/** Runs a step of the kit. @returns its result; undefined when it rejects the request with one of the documented codes */
function attempt<T>(step: () => T, codes: RegExp): T | undefined {
  try {
    return step();
  } catch (thrown) {
    assert.ok(thrown instanceof Rejected, `a step threw ${thrown}`);
    const { code, status } = thrown.rejection;
    assert.match(code, codes);
    assert.equal(status, 400);
    JSON.parse(thrown.response.body);
    return undefined;
  }
}

const accept = (schema: HandledEndpoint["schema"], value: unknown): ReturnType<typeof validateInput> | undefined =>
  attempt(() => validateInput(schema, value), /^invalid_request$/);

/** The bodies of webhooks, and events that come back from a queue. */
export const payload: FuzzTarget = {
  words: ["\x01", ...names.map((name) => `"${name}":`), ...texts.map((text) => JSON.stringify(text)), "null", "1e400"],
  fuzz(data) {
    const text = readJsonText(data, names, texts);
    const bytes = data[0] === 1 ? Buffer.from(text) : data;
    const value = attempt(() => parseJson({ kind: "bytes", bytes }), /^(?:invalid_encoding|malformed_json)$/);
    if (value === undefined) return;
    for (const { schema } of handled) {
      const accepted = accept(schema, value);
      if (!accepted) continue;
      // What a handler gets is what its queue's worker gets.
      const again = validateInput(schema, JSON.parse(JSON.stringify(accepted.input)));
      assert.deepEqual(again, { input: JSON.parse(JSON.stringify(accepted.input)), converted: [] });
    }
    try {
      const event = parseWebhookEvent(value);
      assert.deepEqual(
        JSON.parse(JSON.stringify(parseWebhookEvent(JSON.parse(JSON.stringify(event))))),
        JSON.parse(JSON.stringify(event)),
      );
    } catch (error) {
      assert.ok(isWebhookKitError(error) && error.code === "invalid_event", `parseWebhookEvent threw ${error}`);
    }
  },
};

/** `Content-Type` and `Content-Encoding`; the second reading splits at semicolons. */
export const mediaType: FuzzTarget = {
  words: [
    "application/json",
    "; charset=utf-8",
    'charset="UTF-8"',
    "application/problem+json",
    "identity",
    ";",
    '="',
    "\t",
  ],
  fuzz(data) {
    const [type = "", encoding = ""] = readParts(data, 2);
    const accepted = isJson(["Content-Type", type, ...(encoding === "" ? [] : ["content-encoding", encoding])]);
    const [essence = "", ...parameters] = type.split(";");
    if (accepted) {
      assert.match(essence.trim().toLowerCase(), /^application\/(?:[^\s/]+\+)?json$/);
      assert.match(encoding, /^(?:identity)?$/i);
      const charsets = parameters.filter((each) => /^[ \t]*charset[ \t]*=/i.test(each));
      // A quoted value may hold a semicolon, and what looks like a parameter.
      if (!type.includes('"')) for (const each of charsets) assert.match(each, /=[ \t]*utf-8[ \t]*$/i);
    } else assert.ok(!(type === "application/json" && encoding === ""));
  },
};
