import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { sendRequest } from "./send-request.ts";

describe("non-public addresses", () => {
  let receiver: Receiver;
  let lookups = 0;
  beforeEach(async () => {
    receiver = await openReceiver();
    lookups = 0;
  });
  afterEach(() => receiver.close());
  const port = () => new URL(receiver.baseAddress).port;

  // Spellings that the URL parser, the resolver or the kernel interpret as this machine or a private network.
  const hosts = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "①②⑦.0.0.1",
    "127。0。0。1",
    "[::1]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "localhost",
    "LOCALHOST",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
  ];
  test.each(hosts.flatMap((host) => [`http://${host}`, `https://${host}`]))(
    "a request to a non-public address is rejected: %s",
    async (origin) => {
      const result = await sendRequest({ connectTimeoutMs: 1_000 }, { baseAddress: `${origin}:${port()}` });
      expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
      expect(receiver.requests).toHaveLength(0);
      expect(result).toMatchObject({ reason: expect.not.stringMatching(/127|10\.|::/) });
    },
  );

  test("a request is rejected when one of the name's addresses is not public", async () => {
    const resolve = async () => {
      lookups += 1;
      return [
        { address: "8.8.8.8", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
    };
    const result = await sendRequest({ resolve }, { baseAddress: `http://mixed.example:${port()}` });
    expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
    expect(lookups).toBe(1);
    expect(receiver.requests).toHaveLength(0);
  });

  test("a name is resolved once per request, so its address cannot change after the check", async () => {
    const addresses = [{ address: "127.0.0.1", family: 4 }];
    const resolve = async () => addresses.splice(0, 1);
    const result = await sendRequest(
      { allowLoopback: true, resolve },
      { baseAddress: `http://rebinding.example:${port()}` },
    );
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(receiver.requests[0]?.headers.host).toBe(`rebinding.example:${port()}`);
    expect(addresses).toEqual([]);
  });

  test("a name without an address is reported as not found", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    expect(await sendRequest({ resolve }, { baseAddress: "http://nowhere.example" })).toMatchObject({
      ok: false,
      code: "name_not_found",
    });
    expect(await sendRequest({ resolve: async () => [] }, { baseAddress: "http://nowhere.example" })).toMatchObject({
      ok: false,
    });
  });

  // Codes from https://nodejs.org/api/errors.html, https://nodejs.org/api/dns.html#error-codes and
  // https://nodejs.org/api/tls.html#x509-certificate-error-codes
  test.each([
    ["name_not_found", { code: "EAI_FAIL", syscall: "getaddrinfo" }],
    ["name_not_found", { code: "EINVAL", syscall: "getaddrinfo" }],
    ["connection_refused", { code: "EADDRNOTAVAIL" }],
    ["connection_lost", { code: "ECONNABORTED" }],
    ["connection_lost", { code: "ENEVERHEARDOF" }],
    ["tls_failed", { code: "INVALID_CA" }],
    ["tls_failed", { code: "INVALID_PURPOSE" }],
    ["tls_failed", { code: "PATH_LENGTH_EXCEEDED" }],
    ["tls_failed", { code: "CRL_HAS_EXPIRED" }],
    ["tls_failed", { code: "ERROR_IN_CERT_NOT_AFTER_FIELD" }],
  ])("%s is reported when the connection fails with %o", async (code, fields) => {
    const resolve = () => Promise.reject(Object.assign(new Error("at 10.1.2.3"), fields));
    expect(await sendRequest({ resolve }, { baseAddress: "http://broken.example" })).toMatchObject({
      ok: false,
      code,
      reason: expect.not.stringContaining("10.1.2.3"),
    });
  });

  test("a host name that is too long is reported", async () => {
    const baseAddress = `http://${"a".repeat(300)}.example`;
    expect(await sendRequest({}, { baseAddress })).toMatchObject({ ok: false, code: "name_not_found" });
  });

  test("an internal error is not reported as an endpoint failure", async () => {
    const resolve = () => Promise.reject(new TypeError("not a function"));
    await expect(sendRequest({ resolve }, { baseAddress: "http://broken.example" })).rejects.toThrow("not a function");
  });

  test("addresses in private networks are rejected even when loopback is allowed", async () => {
    const result = await sendRequest({ allowLoopback: true }, { baseAddress: "http://169.254.169.254" });
    expect(result).toMatchObject({ ok: false, code: "forbidden_address" });
  });
});
