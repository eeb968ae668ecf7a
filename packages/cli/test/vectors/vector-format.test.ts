import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { computeDigestValues, fillIn } from "../../src/vectors/request.ts";
import { findings, findVectorsFolder, readVectors, toSteps } from "../../src/vectors/vectors.ts";

const { config, groups, standardWebhooks } = readVectors();
const cases = groups.flatMap((group) => group.cases);
const readJson = (url: URL) => JSON.parse(readFileSync(url, "utf8")) as never;

test.each(groups)("the test vectors in $name match the schema", ({ name }) => {
  const schema = z.fromJSONSchema(readJson(new URL("group.schema.json", findVectorsFolder())));
  const result = schema.safeParse(readJson(new URL(`cases/${name}.json`, findVectorsFolder())));
  expect(result.error?.issues ?? []).toEqual([]);
});

test("the schema rejects cases with unknown or invalid fields", () => {
  const schema = z.fromJSONSchema(readJson(new URL("group.schema.json", findVectorsFolder())));
  const valid = { id: "http/x", title: "T.", why: "W.", request: {}, response: { status: 200, handled: 0 } };
  const isValidWith = (change: object) =>
    schema.safeParse({ description: "", cases: [{ ...valid, ...change }] }).success;
  expect(isValidWith({})).toBe(true);
  for (const change of [{ id: "x" }, { titel: "" }, { response: { status: 100, handled: 0 } }, { sign: { offset: 1 } }])
    expect(isValidWith(change), JSON.stringify(change)).toBe(false);
});

test("there are at least 220 cases, each with a unique id that starts with its group", () => {
  expect(cases.length).toBeGreaterThanOrEqual(220);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const group of groups) for (const { id } of group.cases) expect(id.split("/")[0]).toBe(group.name);
});

test("every case with several correct responses states why there is a choice, and no other case does", () => {
  const casesWithChoice = cases.filter((testCase) =>
    toSteps(testCase).some(({ response }) => Array.isArray(response) || Array.isArray(response.status)),
  );
  expect(casesWithChoice.filter(({ choice }) => choice === undefined).map(({ id }) => id)).toEqual([]);
  expect(
    cases
      .filter((testCase) => testCase.choice !== undefined && !casesWithChoice.includes(testCase))
      .map(({ id }) => id),
  ).toEqual([]);
});

test("every finding that a case refers to is explained, and every case that a finding refers to exists", () => {
  const allCases = [...groups, ...standardWebhooks].flatMap((group) => group.cases);
  const shows = allCases.flatMap((testCase) => toSteps(testCase).flatMap((step) => step.shows ?? []));
  const allCodes = shows.flatMap(({ ifAlso = {}, mayGoUnanswered: _, ...codes }) => [
    ...Object.values(codes),
    ...Object.values(ifAlso),
  ]);
  expect(allCodes.filter((code) => !(code in findings))).toEqual([]);
  const ids = new Set(allCases.map(({ id }) => id));
  expect(shows.flatMap(({ ifAlso = {} }) => Object.keys(ifAlso)).filter((id) => !ids.has(id))).toEqual([]);
});

test("every case with a wrong signature has a finding for a receiver that accepts it", () => {
  const casesWithoutFinding = groups.flatMap((group) =>
    group.cases.filter((testCase) =>
      toSteps(testCase).some(({ reason, shows }) => reason === "signature_mismatch" && shows?.accepted === undefined),
    ),
  );
  expect(casesWithoutFinding.map(({ id }) => id)).toEqual([]);
});

// openssl computed the vectors. Each vector contains the command.
const { vectors } = readJson(new URL("../vectors/timestamp-digest.json", findVectorsFolder())) as {
  vectors: { timestamp: string; secret: string; variant: "sha256" | "hmac"; digest: string }[];
};

test.each(vectors)(
  "computeDigestValues computes the same $variant digest of $timestamp and $secret as openssl",
  ({ timestamp, secret, variant, digest }) =>
    expect(
      computeDigestValues({ ...config, secrets: { current: secret } }, 0, { format: timestamp, variant }).digest,
    ).toBe(digest),
);

// date -u -d 2027-01-02T03:04:05.678Z '+%G-W%V-%u %Y-%j %s %a, %d %b %Y %T GMT'
test("computeDigestValues formats an instant in every notation that the test vectors use", () => {
  const values = computeDigestValues(config, Date.parse("2027-01-02T03:04:05.678Z"));
  expect(fillIn("{{week}} {{ordinal}} {{unix}} {{httpDate}}", values)).toBe(
    "2026-W53-6 2027-002 1798859045 Sat, 02 Jan 2027 03:04:05 GMT",
  );
  expect(fillIn("{{timestamp}} {{timestamp[0:10]}} {{timestamp[11:]}}", values)).toBe(
    "2027-01-02T03:04:05.678Z 2027-01-02 03:04:05.678Z",
  );
});

test("fillIn throws for an unknown placeholder, so that it does not become part of a request", () =>
  expect(() => fillIn("{{digset}}", {})).toThrow("{{digset}}"));
