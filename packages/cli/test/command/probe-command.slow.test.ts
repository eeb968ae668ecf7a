import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { runOffers } from "../support/run-offers.ts";
import { type StartedReceiver, secrets, startReceiver } from "../support/start-receiver.ts";

const secret = secrets.timestampDigest;
const env = { WEBHOOK_SECRET: secret };
let correct: StartedReceiver;
let defective: StartedReceiver;

beforeAll(async () => {
  [correct, defective] = await Promise.all([
    startReceiver("node", "timestampDigest"),
    startReceiver("node", "timestampDigest", "prefix_compare"),
  ]);
});
afterAll(() => Promise.all([correct.stop(), defective.stop()]));

async function startNotFoundServer(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`;
}

test("probe exits with 0 for a correct receiver", async () => {
  const { code, stdout, stderr } = await runOffers(["probe", correct.url.href, "--only", "digests,freshness"], env);
  expect(stdout).toMatch(/^No findings in \d+ cases at http:/);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("the report of a finding contains the case, the request, the response, why it matters and what to change [D-102]", async () => {
  const { code, stdout, stderr } = await runOffers(["probe", defective.url.href, "--only", "digests"], env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  for (const part of [
    "1. Only part of the signature is compared (partial_comparison)",
    "Why it matters: ",
    "Change: Require the whole signature",
    "Case: digests/",
    "expected 401, got 200",
    "GET /test/auth HTTP/1.1",
    "HTTP/1.1 200",
    "curl -i --path-as-is -X GET",
    "1 finding in",
    "--only digests/",
  ])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain(secret);
  expect(stdout.split("\n").filter((line) => line.includes("\x1b"))).toEqual([]);
});

test("the JSON report contains the findings with their cases, but not the secret", async () => {
  const { code, stdout } = await runOffers(["probe", defective.url.href, "--json", "--skip", "timing"], env);
  const { findings, sent } = JSON.parse(stdout) as {
    sent: number;
    findings: {
      code: string;
      why: string;
      change: string;
      cases: { id: string; request: string; command: string }[];
    }[];
  };
  expect(code).toBe(1);
  expect(sent).toBeGreaterThan(300);
  expect(findings.map((finding) => finding.code)).toEqual(["partial_comparison"]);
  expect(findings[0]?.cases[0]?.command).toContain("curl -i");
  expect(stdout).not.toContain(secret);
});

test.each([[[]], [["--strict"]], [["--notes"]]])(
  "a correct receiver has neither findings nor notes: %j [D-104]",
  async (flags) => {
    const { code, stdout } = await runOffers(["probe", correct.url.href, "--skip", "timing", ...flags], env);
    expect(stdout).toMatch(/^No findings in \d+ cases/);
    expect(stdout).not.toMatch(/note|difference/i);
    expect(code).toBe(0);
  },
);

test("--exact counts every response that differs from the test vectors [D-104]", async () => {
  const { code, stdout } = await runOffers(["probe", correct.url.href, "--only", "timestamps", "--exact"], env);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^\d+ differences from the test vectors in \d+ cases/);
  expect(stdout).toContain("timestamps/lower-t: expected 200, got 401");
});

test("probe exits with 2 if the secret is wrong, before it sends any case", async () => {
  const wrongEnv = { WEBHOOK_SECRET: "00000000-2d43-4f0e-9b7a-0d6f3c1e8a52" };
  const { code, stderr } = await runOffers(["probe", correct.url.href], wrongEnv);
  expect(code).toBe(2);
  expect(stderr).toContain("GET http://127.0.0.1");
  expect(stderr).toContain("/test/auth returned 401 for a valid signature; expected 200. Does it use the same secret");
});

test("probe reports a wrong base path together with the correct URL", async () => {
  const { code, stdout } = await runOffers(["probe", `${correct.url.href}/elsewhere`], env);
  expect(code).toBe(1);
  expect(stdout).toContain("1. The endpoints are at another base URL (wrong_base_path)");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(`The endpoints are below ${correct.url.href}.`);
  expect(stdout).toMatch(/1 finding in the service's own checks/);
});

test("probe exits with 2 if the server is not a receiver", async () => {
  const { code, stderr } = await runOffers(["probe", await startNotFoundServer()], env);
  expect(code).toBe(2);
  expect(stderr).toContain(
    "/test returned 404; expected 200. Pass the base URL exactly as it appears in the company profile",
  );
});

test("without a terminal, probe prints colours only with FORCE_COLOR", async () => {
  const args = ["probe", correct.url.href, "--only", "methods"];
  expect((await runOffers(args, { ...env, FORCE_COLOR: "1" })).stdout).toContain("\x1b[1m");
  expect((await runOffers(args, { ...env, NO_COLOR: "1" })).stdout).not.toContain("\x1b");
});

test("--list prints every case and sends nothing", async () => {
  const { code, stdout } = await runOffers(["probe", "--list"]);
  expect(code).toBe(0);
  expect(stdout.split("\n").length).toBeGreaterThan(700);
  expect(stdout).toContain("digests/empty-key  HMAC with an empty key is rejected.");
});
