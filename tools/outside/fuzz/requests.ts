import assert from "node:assert/strict";
import { z } from "zod";
import { instantField, lineField } from "../../../examples/platform/src/http/fields.ts";
import { limitParameter } from "../../../examples/platform/src/http/list-cursor.ts";
import { ProblemError } from "../../../examples/platform/src/http/problem.ts";
import { parseBody } from "../../../examples/platform/src/http/validation.ts";
import { checkCreation } from "../../../examples/platform/src/offers/check-creation.ts";
import { idempotencyKeySchema, problemSchema } from "../../../packages/contract/src/generated/schemas.ts";
import { readJsonText } from "./made-value.ts";
import type { FuzzTarget } from "./target.ts";

const names = [
  "createdByUserId",
  "title",
  "details",
  "locationPlaceId",
  "notifyEmailAddress",
  "workerIds",
  "events",
  "start",
  "end",
  "since",
  "until",
  "limit",
  "name",
];
const texts = [
  "user_hana",
  "worker_amal",
  "Kitchen help",
  "hana@harbour-hotels.example",
  "2099-05-01T16:00:00Z",
  "2099-05-01T22:00:00+00:00",
  "0000-12-31T23:59:60Z",
  "\u3164",
  "\0",
  "\ud800",
  "",
  "__proto__",
];
const people = new Set(["user_hana"]);
const workers = new Set(["worker_amal"]);
const context = {
  now: new Date("2026-11-24T12:00:00Z"),
  mayCreate: async (id: string) => people.has(id),
  knownWorkers: async (ids: string[]) => new Set(ids.filter((id) => workers.has(id))),
};
const others = z.strictObject({
  since: instantField.optional(),
  name: lineField.optional(),
  limit: limitParameter(100, 20),
});

/** The bodies that the platform reads: accepted, or refused with `invalid_request` and the fields' names. */
export const creation: FuzzTarget = {
  words: ["\x01", ...names.map((name) => `"${name}":`), ...texts.map((text) => JSON.stringify(text)), "[[[[", "1e400"],
  async fuzz(data) {
    const text = readJsonText(data, names, texts);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return;
    }
    const before = JSON.stringify(body);
    const offer = await checkCreation(body, context).catch(checkProblem);
    assert.equal(JSON.stringify(body), before, "a check changes nothing");
    if (offer) {
      assert.ok(people.has(offer.createdByUserId) && offer.workerIds.every((id) => workers.has(id)));
      assert.ok(offer.events?.every(({ start, end }) => Date.parse(start) < Date.parse(end)) ?? true);
      assert.ok(!/\\u0000|\\ud[89a-f]/.test(JSON.stringify(offer)), "PostgreSQL can store it");
      assert.deepEqual(
        await checkCreation(structuredClone(offer), context),
        offer,
        "what is accepted is accepted again",
      );
    }
    try {
      parseBody(others, body);
    } catch (error) {
      checkProblem(error);
    }
    idempotencyKeySchema.safeParse(text);
  },
};

function checkProblem(error: unknown): undefined {
  assert.ok(error instanceof ProblemError && error.code === "invalid_request", `a check threw ${error}`);
  const { errors } = error;
  assert.ok(errors && errors.size > 0 && errors.size <= 100);
  const problem = { type: "about:blank", title: "", status: error.status, errors: Object.fromEntries(errors) };
  assert.ok(problemSchema.safeParse(problem).success, "the problem is one of the contract");
}
