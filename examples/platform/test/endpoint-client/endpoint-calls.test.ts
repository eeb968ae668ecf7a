import { describe, expect, test } from "vitest";
import { searchSuggestions } from "../../src/accounts/contact-suggestions.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { testEndpoint } from "../../src/endpoint-client/test-endpoint.ts";
import { hang, hangUp, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";

describe("the two checks of a base URL", () => {
  const sign = (secret: string) => ({ authorization: `test ${secret}` });
  const runChecks = async (receiver: Receiver) => {
    const endpointClient = createEndpointClient({ allowLoopback: true });
    const result = await testEndpoint(endpointClient, sign, {
      baseAddress: `${receiver.baseAddress}/p/`,
      scheme: "timestampDigest",
      secret: "s3cret",
    });
    await endpointClient.close();
    await receiver.close();
    return result;
  };

  test("the checks of a base URL pass when both get 200, and the second is sent twice, signed with the secret and with a wrong secret", async () => {
    const receiver = await openReceiver();
    const result = await runChecks(receiver);
    expect(result).toMatchObject({
      passed: true,
      checks: [
        { method: "GET", path: "/test", passed: true, status: 200 },
        { method: "GET", path: "/test/auth", passed: true, status: 200 },
      ],
    });
    expect(receiver.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/p/test", undefined],
      ["/p/test/auth", "test s3cret"],
      ["/p/test/auth", expect.not.stringContaining("s3cret")],
    ]);
  });

  test.each([201, 204, 301, 400, 401, 403, 404, 500])(
    "the checks of a base URL fail when the second check gets %i",
    async (status) => {
      const receiver = await openReceiver((request, response) =>
        respondWith(request.url.endsWith("/auth") ? status : 200)(request, response),
      );
      expect(await runChecks(receiver)).toMatchObject({
        passed: false,
        checks: [
          { passed: true },
          { passed: false, status, reason: expect.stringContaining(`responded with ${status}`) },
        ],
      });
    },
  );

  test("the checks of a base URL report the failure when no response arrives", async () => {
    const receiver = await openReceiver(hangUp);
    const result = await runChecks(receiver);
    expect(result.passed).toBe(false);
    expect(result.checks).toMatchObject([{ failure: "connection_lost" }, { failure: "connection_lost" }]);
    expect(JSON.stringify(result)).not.toContain("s3cret");
  });
});

test("a suggestion search is a signed POST, and its response is returned unchanged", async () => {
  const receiver = await openReceiver(respondWith(200, { "content-type": "application/json" }, "[nonsense"));
  const endpointClient = createEndpointClient({ allowLoopback: true });
  const sign = (secret: string) => ({ authorization: `test ${secret}` });
  const endpoint = { baseAddress: receiver.baseAddress, scheme: "timestampDigest", secret: "s3cret" } as const;
  const profile = { ...endpoint, userEmailAddresses: ["a@example.com"] };
  const result = await searchSuggestions(endpointClient, sign, profile);
  expect(result.ok && result.body.toString()).toBe("[nonsense");
  await searchSuggestions(endpointClient, sign, { ...profile, filter: "cook" });
  expect(receiver.requests.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
    ["POST", "/contact-suggestions", { userEmailAddresses: ["a@example.com"] }],
    ["POST", "/contact-suggestions", { filter: "cook", userEmailAddresses: ["a@example.com"] }],
  ]);
  receiver.respond = hang;
  const timedOutSearch = searchSuggestions(endpointClient, sign, { ...profile, timeoutMs: 300 });
  expect(await timedOutSearch).toMatchObject({ ok: false, code: "timeout", reason: expect.stringContaining("300 ms") });
  await endpointClient.close();
  await receiver.close();
});
