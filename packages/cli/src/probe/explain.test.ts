import { expect, test } from "vitest";
import { readVectors } from "../vectors/vectors.ts";
import type { ComparedCase } from "./compare.ts";
import { collectFindings } from "./explain.ts";

const cases = readVectors().groups.flatMap(({ name, cases: groupCases }) =>
  groupCases.map((testCase) => ({ group: name, testCase })),
);

/** Creates a case in which the receiver rejects a valid request. */
const createRefusal = (id: string): ComparedCase => createComparedCase(id, 200, 401);
/** Creates a case in which the receiver accepts an invalid request. */
const createAcceptance = (id: string): ComparedCase => createComparedCase(id, 401, 200);

function createComparedCase(id: string, expected: number, status: number): ComparedCase {
  const sentCase = cases.find(({ testCase }) => testCase.id === id);
  if (sentCase === undefined) throw new Error(`no case ${id}`);
  const response = { status, headers: new Map<string, string>(), body: "" };
  return {
    ...sentCase,
    responses: [response],
    requests: [],
    durationsMs: [1],
    unique: "",
    secrets: [],
    mismatches: [{ kind: "status", text: `expected ${expected}, got ${status}`, allowed: [expected], got: status }],
  };
}

// A receiver with a tolerance of 30 seconds rejects 10:55Z from 10:55:30 on.
test("a receiver that rejects a Timestamp without seconds and a four-minute-old Timestamp has only tolerance_too_small", () => {
  const findings = collectFindings(["timestamps/minute", "freshness/four-minutes-old"].map(createRefusal));
  expect(findings.map(({ code }) => code)).toEqual(["tolerance_too_small"]);
  expect(findings[0]?.evidence.map(({ id }) => id)).toEqual(["timestamps/minute", "freshness/four-minutes-old"]);
});

test.each([
  [["timestamps/minute"], ["precision_refused"]],
  [
    ["timestamps/second", "freshness/four-minutes-old"],
    ["precision_refused", "tolerance_too_small"],
  ],
])("a receiver that rejects the requests of %j has the findings %j", (ids, codes) => {
  expect(collectFindings(ids.map(createRefusal)).map(({ code }) => code)).toEqual(codes);
});

test.each([
  [["headers/timestamp-twice-old-first"], ["second_timestamp_accepted"]],
  [
    ["freshness/hour-old", "headers/timestamp-twice-old-first"],
    ["old_timestamp_accepted", "duplicate_header_accepted"],
  ],
])("a receiver that accepts the requests of %j has the findings %j", (ids, codes) => {
  expect(collectFindings(ids.map(createAcceptance)).map(({ code }) => code)).toEqual(codes);
});
