import { createHook } from "node:async_hooks";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEndpointClient, type EndpointClientOptions } from "../../src/endpoint-client/create-endpoint-client.ts";
import type { EndpointResult } from "../../src/endpoint-client/endpoint-client.ts";
import { createNameResolver, isOwnAddress, type Resolve } from "../../src/endpoint-client/ssrf-guard.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { type NameServer, openNameServer } from "./name-server.ts";

/** Spellings that a parser, resolver or kernel may interpret as this machine, a private network or a cloud's metadata service. */
const literals = {
  "this machine": [
    "127.0.0.1",
    "127.0.0.2",
    "127.255.255.254",
    "127.1",
    "127.0.1",
    "127.0x0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0X7F000001",
    "0x7f.1",
    "0x7f.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.0.0.01",
    "00000177.1",
    "127.0.0.1.",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127.0.0.1%2e",
    "%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1",
    "12\t7.0.0.1",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000::0001]",
    "[::0.0.0.1]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "localhost",
    "LOCALHOST",
    "LocalHost",
    "localhost.",
    "a.localhost",
    "ⓛocalhost",
    "ｌｏｃａｌｈｏｓｔ",
    "loc%61lhost",
  ],
  "an unspecified or broadcast address": [
    "0",
    "0.0.0.0",
    "0.1.2.3",
    "0x0",
    "00",
    "[::]",
    "[0:0:0:0:0:0:0:0]",
    "255.255.255.255",
    "0xffffffff",
  ],
  "IPv4 inside IPv6": [
    "[::ffff:127.0.0.1]",
    "[::FFFF:7F00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::ffff:0:127.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[::ffff:10.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::10.0.0.1]",
    "[64:ff9b:1:ffff::1]",
    "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]",
    "[2002:808:808::1]",
    "[2001::1]",
    "[2001:0:7f00:1::80ff:fffe]",
  ],
  "a private network": [
    "10.0.0.1",
    "10.255.255.255",
    "012.0.0.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "0xac100001",
    "192.168.1.1",
    "192.168.257",
    "3232235777",
    "100.64.0.1",
    "100.127.255.255",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fec0::1]",
    "[fe80::1]",
    "[febf::1]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[::1%25lo]",
  ],
  "a cloud's metadata service": [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "169.254.170.2",
    "169.254.0.23",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "[fd00:ec2::254]",
    "[fd20:ce::254]",
    "[fe80::a9fe:a9fe]",
    "[fd00:c1::a9fe:a9fe]",
  ],
  "a reserved address": [
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "198.19.255.255",
    "192.0.0.1",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "[ff02::1]",
    "[ff0e::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:20::1]",
    "[5f00::1]",
    "[4000::1]",
    "[200::1]",
  ],
  "a host with other URL parts": [
    "user@127.0.0.1",
    "8.8.8.8:x@127.0.0.1",
    "127.0.0.1#",
    "127.0.0.1?",
    "127.0.0.1\\@8.8.8.8",
    "[::1",
    "256.0.0.1",
  ],
};

/** Names whose owner can make them resolve to any address. */
const names: Record<string, string[]> = {
  "localtest.example": ["127.0.0.1"],
  "127.0.0.1.nip.example": ["127.0.0.1"],
  "six.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "unspecified.example": ["0.0.0.0"],
  "metadata.google.internal": ["169.254.169.254"],
  "instance-data.example": ["fd00:ec2::254"],
  "intranet.example": ["10.0.0.1"],
  "mixed.example": ["8.8.8.8", "127.0.0.1"],
  "mixed-six.example": ["2001:4860:4860::8888", "::1"],
  "last.example": ["8.8.8.8", "8.8.4.4", "1.1.1.1", "192.168.0.1"],
  "none.example": [],
};

/** A name with a public address, which the tests never connect to. */
const publicNames: Record<string, string[]> = { "dns.example": ["8.8.8.8"] };

/** The addresses that each name resolves to at its first lookup, its second lookup, and so on. */
const rebinding: Record<string, string[][]> = {
  "rebinding.example": [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "169.254.169.254"]],
};

const sendRequestProcess = join(import.meta.dirname, "send-request-process.ts");

describe("non-public addresses", () => {
  // This server listens on all of this machine's addresses.
  let listener: Server;
  let port: number;
  let nameServer: NameServer;
  let resolve: Resolve;
  let acceptedCount = 0;
  // Node creates one TCPCONNECTWRAP for each connection that it attempts.
  let attemptedCount = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "TCPCONNECTWRAP") attemptedCount += 1;
    },
  });
  beforeAll(async () => {
    listener = createServer((socket) => {
      acceptedCount += 1;
      socket.destroy();
    });
    listener.listen(0, "::");
    await once(listener, "listening");
    port = (listener.address() as AddressInfo).port;
    hook.enable();
    nameServer = await openNameServer(
      (name, lookupIndex) => rebinding[name]?.[lookupIndex] ?? names[name] ?? publicNames[name] ?? [],
    );
    resolve = createNameResolver({ timeoutMs: 1_000, servers: [nameServer.address] });
  });
  afterAll(() => {
    nameServer.close();
    hook.disable();
    listener.close();
  });
  beforeEach(() => {
    acceptedCount = 0;
    attemptedCount = 0;
  });

  async function send(
    baseAddress: string,
    options: EndpointClientOptions = {},
    isCompleteUrl = false,
  ): Promise<EndpointResult> {
    const endpointClient = createEndpointClient({ resolve, ...options });
    try {
      return await endpointClient.send({ method: "GET", path: "/test", baseAddress, isCompleteUrl, timeoutMs: 2_000 });
    } finally {
      await endpointClient.close();
    }
  }
  const rejectionWithCode = (codePattern: string) =>
    expect.objectContaining({ ok: false, code: expect.stringMatching(codePattern) });

  test("without the guard, connections to this machine's addresses are made and counted", async () => {
    const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
    // Connecting to a link-local address requires the name of its interface.
    const hosts = interfaces.map(({ address }) => address).filter((address) => !address.startsWith("fe80:"));
    for (const host of hosts) await once(connect({ host, port }).resume(), "close");
    expect(hosts).toContain("127.0.0.1");
    expect([acceptedCount, attemptedCount]).toEqual([hosts.length, hosts.length]);
    expect(interfaces.filter(({ address }) => !isOwnAddress(address))).toEqual([]);
  });

  const hosts = Object.entries(literals).flatMap(([category, spellings]) =>
    spellings.map((host) => [category, host] as const),
  );
  test("the tests cover more than eighty spellings of non-public addresses", () =>
    expect(new Set(hosts.map(([, host]) => host)).size).toBeGreaterThan(80));

  test.each(hosts)("no connection is attempted to a spelling of %s: %s", async (_, host) => {
    // Try each spelling as a base URL and as a complete image URL, which is used unchanged.
    for (const scheme of ["http", "https"])
      for (const address of [
        `${scheme}://${host}:${port}`,
        `${scheme}://${host}`,
        `${scheme.toUpperCase()}:${host}:${port}`,
        `${scheme}:\\\\${host}:${port}\\`,
        ` ${scheme}:///${host}:${port}/a/../..`,
      ])
        for (const isCompleteUrl of [false, true])
          expect([address, await send(address, {}, isCompleteUrl)]).toEqual([
            address,
            rejectionWithCode("^(forbidden|invalid)_address$"),
          ]);
    expect([attemptedCount, acceptedCount]).toEqual([0, 0]);
  });

  test.each(Object.keys(names))("no connection is attempted through the name %s", async (name) => {
    for (const address of [`http://${name}:${port}`, `https://${name}`, `http://${name.toUpperCase()}.:${port}`])
      for (const isCompleteUrl of [false, true])
        expect([address, await send(address, {}, isCompleteUrl)]).toEqual([
          address,
          rejectionWithCode("^(forbidden_address|name_not_found)$"),
        ]);
    expect(nameServer.lookups.get(name)).toBe(6);
    expect([attemptedCount, acceptedCount]).toEqual([0, 0]);
  });

  test("no connection is attempted to this machine's public addresses", async () => {
    const isOwn = (address: string): boolean => address === "8.8.8.8";
    for (const address of ["http://8.8.8.8", "https://dns.example"])
      expect(await send(address, { isOwnAddress: isOwn })).toEqual(rejectionWithCode("^forbidden_address$"));
    expect(attemptedCount).toBe(0);
  });

  test("the address that was checked is used, even if the name later resolves to a different address", async () => {
    const receiver = await openReceiver(respondWith(200, { connection: "close" }));
    const baseAddress = receiver.baseAddress.replace("127.0.0.1", "rebinding.example");
    const endpointClient = createEndpointClient({ allowLoopback: true, resolve });
    const request = { method: "GET", path: "/test", baseAddress, timeoutMs: 2_000 } as const;
    expect(await endpointClient.send(request)).toMatchObject({ ok: true, status: 200 });
    expect(receiver.requests[0]?.headers.host).toBe(new URL(baseAddress).host);
    attemptedCount = 0;
    // The name now resolves to 10.0.0.1, then to a public address together with 169.254.169.254.
    for (let time = 0; time < 2; time += 1)
      expect(await endpointClient.send(request)).toEqual(rejectionWithCode("^forbidden_address$"));
    expect(attemptedCount).toBe(0);
    // Each connection looks up the name once.
    expect(nameServer.lookups.get("rebinding.example")).toBe(3);
    await endpointClient.close();
    await receiver.close();
  });

  test.each([301, 302, 303, 307, 308])("no connection is attempted through a redirect with %i", async (status) => {
    const target = `http://127.0.0.1:${port}/`;
    const headers = { location: target, refresh: `0; url=${target}`, "alt-svc": `h2="127.0.0.1:${port}"` };
    const receiver = await openReceiver(respondWith(status, headers));
    for (let time = 0; time < 2; time += 1)
      expect(await send(receiver.baseAddress, { allowLoopback: true })).toMatchObject({ ok: true, status });
    await receiver.close();
    expect([attemptedCount, acceptedCount]).toEqual([2, 0]);
  });

  test("no connection is attempted through a proxy in the environment", async () => {
    const proxy = `http://127.0.0.1:${port}`;
    const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    const receiver = await openReceiver();
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", sendRequestProcess, receiver.baseAddress],
      {
        env: { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: "1", NO_PROXY: "" },
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    await once(child, "close");
    await receiver.close();
    expect([JSON.parse(output), acceptedCount, receiver.requests.length]).toEqual([{ ok: true, status: 200 }, 0, 1]);
  });
});

test("names whose servers do not respond do not delay other names", async () => {
  const nameServer = await openNameServer((name) => (name.startsWith("silent") ? undefined : ["8.8.8.8"]));
  const resolve = createNameResolver({ timeoutMs: 500, servers: [nameServer.address] });
  let settledCount = 0;
  const silentLookups = Array.from({ length: 32 }, (_, index) =>
    resolve(`silent-${index}.example`)
      .catch((error: NodeJS.ErrnoException) => error.code)
      .finally(() => {
        settledCount += 1;
      }),
  );
  expect(await resolve("healthy.example")).toEqual([{ address: "8.8.8.8", family: 4 }]);
  expect(settledCount).toBe(0);
  expect(new Set(await Promise.all(silentLookups))).toEqual(new Set(["ETIMEOUT"]));
  nameServer.close();
});
