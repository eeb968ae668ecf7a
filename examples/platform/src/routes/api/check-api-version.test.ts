import express, { type Request } from "express";
import { expect, test } from "vitest";
import { checkApiVersion } from "./check-api-version.ts";

/** As Express parses it. */
function check(search: string, required: boolean): unknown {
  const parse = express().get("query parser fn") as (search: string) => Request["query"];
  const request: Partial<Request> = { query: parse(search) };
  try {
    checkApiVersion(request as Request, required);
    return "accepted";
  } catch (error) {
    return error;
  }
}

test.each([true, false])("1.0 is accepted, required or not (%s)", (required) =>
  expect(check("api-version=1.0&other=2", required)).toBe("accepted"),
);

test("a missing version is accepted where it is optional", () => expect(check("", false)).toBe("accepted"));

const remedy = "Give api-version=1.0 exactly once.";
const refusal = { code: "unsupported_api_version", message: remedy, errors: new Map([["api-version", [remedy]]]) };

test("a missing version is refused where it is required", () =>
  expect(check("api_version=1.0", true)).toMatchObject(refusal));

test.each([
  "api-version=",
  "api-version=1",
  "api-version=1.0.0",
  "api-version=v1.0",
  "api-version=1.0%20",
  "api-version=2.0",
  "api-version=1.0&api-version=1.0",
  "api-version=1.0&api-version=2.0",
  "api-version[]=1.0",
  "api-version[a]=2.0&api-version=1.0",
])("%s is refused, required or not", (search) => {
  for (const required of [true, false]) expect(check(search, required)).toMatchObject(refusal);
});
