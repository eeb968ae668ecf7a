import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { events, findEvent } from "../../src/trigger/events.ts";
import { toShellCommand } from "../../src/trigger/shell-command.ts";
import { type TestRequest, testWays, waysFor, writeTestRequests } from "../../src/trigger/ways.ts";
import { fillEvent } from "../../src/trigger/write-webhook.ts";
import { runOffers } from "../support/run-offers.ts";
import { secrets, startReceiver } from "../support/start-receiver.ts";

const schemes = ["timestampDigest", "standardWebhooks"] as const;

async function triggerEveryWay(event: string, to: string, scheme: Scheme) {
  const flag = scheme === "standardWebhooks" ? "standard-webhooks" : "timestamp-digest";
  const args = ["trigger", event, "--to", to, "--as", "every", "--scheme", flag, "--json"];
  const { code, stdout } = await runOffers(args, { WEBHOOK_SECRET: secrets[scheme] });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { way: string; right: boolean; finding?: string });
  return { code, lines };
}

test.each(schemes)(
  "a correct receiver responds correctly to every event sent in every way, with %s",
  async (scheme) => {
    const { url, stop } = await startReceiver("node", scheme);
    for (const event of ["worker-offer-response", "contact-suggestions", "test-auth", "test"]) {
      const { code, lines } = await triggerEveryWay(event, url.href, scheme);
      expect(
        lines.filter(({ right }) => !right),
        event,
      ).toEqual([]);
      expect(code).toBe(0);
    }
    await stop();
  },
);

test.each([
  ["no_freshness", "late", "old_timestamp_accepted"],
  ["one_direction", "early", "future_timestamp_accepted"],
  ["prefix_compare", "cut-signature", "partial_comparison"],
  ["first_of_two:timestamp", "second-timestamp", "second_timestamp_accepted"],
  ["last_of_joined:timestamp", "second-timestamp", "second_timestamp_accepted"],
  ["last_of_two:authorization", "second-signature", "duplicate_header_accepted"],
  ["empty_secret", "empty-secret", "empty_secret_accepted"],
  ["error_on_bad_signature", "wrong-signature", "error_on_bad_signature"],
  ["method_ignored", "other-method", "any_method_accepted"],
])("a receiver with the defect %s responds incorrectly to the way %s, which shows %s", async (defect, way, finding) => {
  const { url, stop } = await startReceiver("node", "timestampDigest", defect);
  const { code, lines } = await triggerEveryWay("worker-offer-response", url.href, "timestampDigest");
  expect(lines).toContainEqual(expect.objectContaining({ way, right: false, finding }));
  expect(code).toBe(1);
  await stop();
});

test("trigger explains the finding that a wrong response shows", async () => {
  const { url, stop } = await startReceiver("node", "timestampDigest", "no_freshness");
  const args = ["trigger", "worker-offer-response", "--to", url.href, "--as", "late"];
  const { code, stdout } = await runOffers(args, { WEBHOOK_SECRET: secrets.timestampDigest });
  expect(stdout).toContain("Expected 401; got 200.\nOld signatures are accepted (old_timestamp_accepted)\n");
  expect(stdout).toContain("Change: Reject a timestamp that is more than 5 minutes in the past.");
  expect(code).toBe(1);
  await stop();
});

test("trigger rejects a way that does not apply to the event, and lists the ways that do", async () => {
  const args = ["trigger", "test", "--to", "http://127.0.0.1:1", "--as", "late"];
  const { code, stderr } = await runOffers(args);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('cannot be sent as "late". Choose one of: every, as-sent'),
  ]);
});

test("trigger --help describes every way", async () => {
  const { stdout } = await runOffers(["trigger", "--help"]);
  for (const { name, title } of testWays) expect(stdout).toMatch(new RegExp(`${name} +${title}`));
});

/** Runs a shell command with a fake curl. @returns the arguments that curl receives */
async function runShell(command: string, secret: string): Promise<string[]> {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  const { stdout } = await promisify(execFile)("sh", ["-c", script], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
  });
  return stdout.trimEnd().split("\n");
}

const findWay = (name: string) => testWays.find((way) => way.name === name) ?? expect.fail(name);

test.each(schemes)(
  "the shell command of each way contains neither secret nor signature, and produces the same signature as the request, with %s",
  async (scheme) => {
    const secret = secrets[scheme];
    // The shell's clock cannot be set, so a past time is a literal in the command.
    const [oldRequest] = writeTestRequests(
      findWay("late"),
      fillEvent(findEvent("worker-offer-response"), findEvent("worker-offer-response").fields, "delivery_1"),
      { scheme, secret, now: new Date("2026-11-28T10:00:00Z") },
    );
    if (!oldRequest) return expect.fail();
    const command = toShellCommand(oldRequest, "https://example.com/offers/", scheme);
    const words = await runShell(command, secret);
    for (const { name, value } of oldRequest.headers) expect(words).toContain(`${name}: ${value}`);
    expect(words).toContain(oldRequest.body.toString());
    expect(words.at(-1)).toBe("https://example.com/offers/offer/response");

    for (const event of events)
      for (const way of waysFor(fillEvent(event, event.fields, "delivery_1"), scheme))
        for (const request of writeTestRequests(way, fillEvent(event, event.fields, "delivery_1"), {
          scheme,
          secret,
          now: new Date(),
        })) {
          const text = toShellCommand(request, "https://example.com", scheme);
          expect(text).not.toContain(secret.replace("whsec_", ""));
          for (const { name, value, shell } of request.headers)
            if (shell !== undefined && /authorization|signature/i.test(name) && !value.includes(", "))
              expect(text, way.name).not.toContain(value.slice(-12));
        }
  },
);

/** Runs the shell command for a request. @returns the headers that it sends, by name, and the body */
async function runInShell(request: TestRequest, before = ""): Promise<{ headers: Map<string, string>; body: string }> {
  const command = toShellCommand(request, "https://example.com", "standardWebhooks");
  const words = await runShell(`${before}\n${command}`, secrets.standardWebhooks);
  const headers = words.flatMap((word, index) =>
    words[index - 1] === "-H" ? [word.split(": ") as [string, string]] : [],
  );
  return { headers: new Map(headers), body: words[words.indexOf("--data-binary") + 1] ?? "" };
}

const isVerified = ({ headers, body }: { headers: Map<string, string>; body: string }): boolean => {
  const key = Buffer.from(secrets.standardWebhooks.replace("whsec_", ""), "base64");
  const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
  return headers.get("webhook-signature") === `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

const writeRequest = (wayName: string, eventName: string): TestRequest => {
  const webhook = fillEvent(findEvent(eventName), findEvent(eventName).fields, "delivery_1");
  const options = { scheme: "standardWebhooks", secret: secrets.standardWebhooks, now: new Date() } as const;
  return writeTestRequests(findWay(wayName), webhook, options)[0] ?? expect.fail();
};

test("the shell command for a body that was changed after signing sends a signature that does not match the body", async () => {
  expect(isVerified(await runInShell(writeRequest("as-sent", "worker-offer-response")))).toBe(true);
  expect(isVerified(await runInShell(writeRequest("altered-body", "worker-offer-response")))).toBe(false);
});

test("the shell command for a request without a body does not sign the body of the previous command", async () => {
  const { headers } = await runInShell(writeRequest("as-sent", "test-auth"), "body='an earlier body'");
  expect(isVerified({ headers, body: "" })).toBe(true);
});

test("trigger sends the remaining ways even when the receiver resets connections after its first response", async () => {
  let connectionCount = 0;
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    connectionCount += 1;
    if (connectionCount > 1) socket.resetAndDestroy();
    else socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const args = ["trigger", "test-auth", "--to", `http://127.0.0.1:${port}`, "--as", "every"];
  const { code, stdout } = await runOffers(args, { WEBHOOK_SECRET: secrets.timestampDigest });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/\d+ wrong responses\./)]);
  server.close();
});
