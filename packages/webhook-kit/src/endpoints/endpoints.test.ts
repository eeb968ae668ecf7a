import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { decodeParameters, endpoints, findRoute } from "./endpoints.ts";

test("every webhook in the contract has one endpoint, with its path, method and name [interface: Introduction 1]", () => {
  const contract = parse(readFileSync(new URL("../../../../spec/openapi.yaml", import.meta.url), "utf8")) as {
    webhooks: Record<string, Record<string, { operationId: string }>>;
  };
  const described = Object.entries(contract.webhooks).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  const implemented = Object.values(endpoints).map(({ method, path, name }) => `${method} ${path} ${name}`);
  expect(implemented.sort()).toEqual(described.sort());
});

test.each([
  ["/test", "Test"],
  ["/test/", "Test"],
  ["//test", "Test"],
  ["/test/auth", "TestAuth"],
  ["//test/auth/", "TestAuth"],
  ["/contact/new/42", "WorkerAddedContact"],
  ["/contact/new/42/", "WorkerAddedContact"],
  ["/offer/response", "WorkerOfferResponse"],
])("findRoute maps %s to %s [D-46]", (path, name) => expect(findRoute(path)?.endpoint.name).toBe(name));

test.each([
  "",
  "/",
  "//",
  "/tes",
  "/testing",
  "/Test",
  "/test/auth/x",
  "/test//auth",
  "/contact/new",
  "/contact/new/",
  "/contact/new//",
  "/contact/new/a/b",
  "/another-path/42",
  "contact/new/42",
  "/x/test",
])("%j is not a webhook path", (path) => expect(findRoute(path)).toBeUndefined());

test.each([
  ["/contact/new/a%2Fb", "a/b"],
  ["/contact/new/J%C3%BCrgen%20%F0%9F%94%91", "Jürgen 🔑"],
  ["/contact/new/a+b", "a+b"],
  ["/contact/new/%25", "%"],
  ["/contact/new/{workerId}", "{workerId}"],
  ["/contact/new/%", undefined],
  ["/contact/new/%zz", undefined],
  ["/contact/new/%E0%A4%A", undefined],
  ["/contact/new/%FF", undefined],
])("the worker's id in %s is %j", (path, workerId) =>
  expect(decodeParameters(findRoute(path)?.parameters ?? {})).toEqual({ workerId }),
);
