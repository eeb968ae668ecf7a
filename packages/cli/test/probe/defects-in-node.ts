import { type DefectiveReceiver, defectiveIn } from "./defective-receiver.ts";

const node = defectiveIn("node");

// Lines of the correct receiver, which the defects replace.
const nodeGiven = 'const given = Buffer.from(/^hmac +([0-9a-f]{64})$/i.exec(authorization)?.[1] ?? "", "hex");';
const nodeExpected = 'const expected = createHash("sha256").update(timestamp + secret).digest();';
const nodeHandles = `console.log(\`\${event.workerId} \${event.response} \${event.offerId}\`);`;
const nodeRefuses = "if (!isSigned || !isRecent) return response.writeHead(401).end();";
const nodeTest = 'if (path === "/offers/test") return response.end();';
const nodeParses = "Date.parse(timestamp)";
const localZones = ["America/St_Johns", "Pacific/Kiritimati"];

export const nodeReceivers: DefectiveReceiver[] = [
  {
    ...node(
      "compares the digest in lower case, which is Node's default",
      "lower_case_digest",
      "It accepts the same digest in lower case.",
      [nodeGiven, 'const given = Buffer.from(authorization.replace("hmac ", ""));'],
      [nodeExpected, 'const expected = Buffer.from(createHash("sha256").update(timestamp + secret).digest("hex"));'],
    ),
    isMain: true,
  },
  {
    ...node(
      "accepts only an HMAC",
      "hmac_only",
      "It accepts the HMAC of the timestamp, with the secret as its key.",
      ["import { createHash,", "import { createHmac,"],
      [nodeExpected, 'const expected = createHmac("sha256", secret).update(timestamp).digest();'],
    ),
    isMain: true,
  },
  {
    ...node(
      "hashes the date as JavaScript formats it",
      "reformatted_date",
      "It accepts the digest of the same time, formatted as ",
      [nodeExpected, nodeExpected.replace("timestamp +", "new Date(Date.parse(timestamp) || 0).toISOString() +")],
    ),
    only: ["timestamps/second", "timestamps/minute", "digests/minute-precision-appended"],
    isMain: true,
  },
  {
    ...node("stops at a Timestamp that is not a date", "receiver_stopped", "connections have been refused since", [
      nodeExpected,
      `${nodeExpected} new Date(timestamp).toISOString();`,
    ]),
    only: ["timestamps"],
    isMain: true,
  },
  ...localZones.map((TZ) => ({
    ...node(`reads the Timestamp as local time in ${TZ}`, "zone_ignored", "UTC", [
      nodeParses,
      "Date.parse(timestamp.slice(0, 19))",
    ]),
    env: { TZ },
    isMain: true as const,
  })),
  {
    ...node("reads the Timestamp as local time in UTC", "zone_ignored", "expected 401, got 200", [
      nodeParses,
      "Date.parse(timestamp.slice(0, 19))",
    ]),
    env: { TZ: "UTC" },
    only: ["freshness", "timestamps/zone-left-out-of-the-reckoning"],
    isMain: true,
  },
  {
    ...node("acknowledges events with 204", "wrong_success_status", "expected 200, got 204", [
      nodeHandles,
      `${nodeHandles} return response.writeHead(204).end();`,
    ]),
    only: ["bodies/plain", "bodies/type-json"],
    isMain: true,
  },
  {
    ...node("requires a signature for /test", "test_needs_authentication", "expected 200, got 401", [nodeTest, ""]),
    isMain: true,
  },
  {
    ...node("redirects /test", "redirected", "It redirects to https://elsewhere.example/test.", [
      nodeTest,
      'if (path === "/offers/test") return response.writeHead(301, { Location: "https://elsewhere.example/test" }).end();',
    ]),
    isMain: true,
  },
  {
    ...node("has no secret", "secret_missing", "the string undefined as the secret", [
      'process.env.WEBHOOK_SECRET ?? "demo-webhook-secret"',
      "process.env.WEBHOOK_SECERT",
    ]),
    isMain: true,
  },
  {
    ...node("ignores the method", "any_method_accepted", "expected 405, got 200", [
      "if (request.method !== method) return",
      "if (!method) return",
    ]),
    only: ["methods"],
  },
  {
    ...node("reads the first of two Authorization headers", "duplicate_header_accepted", "expected 401, got 200", [
      'request.headersDistinct.authorization?.join() ?? ""',
      'request.headers.authorization ?? ""',
    ]),
    only: ["headers"],
  },
  {
    ...node("does not check the age", "old_timestamp_accepted", "expected 401, got 200", [
      "!isSigned || !isRecent",
      "!isSigned",
    ]),
    only: ["freshness"],
  },
  {
    ...node("checks the age in only one direction", "future_timestamp_accepted", "expected 401, got 200", [
      "Math.abs(Date.now() - Date.parse(timestamp))",
      "Date.now() - Date.parse(timestamp)",
    ]),
    only: ["freshness"],
  },
  {
    ...node("verifies nothing", "unsigned_accepted", "expected 401, got 200", [nodeRefuses, ""]),
    only: ["headers", "digests", "methods", "replays/good-then-forged"],
  },
  {
    ...node("allows 30 seconds", "tolerance_too_small", "expected 200, got 401", ["5 * 60_000", "30_000"]),
    only: ["freshness"],
  },
  {
    ...node("fails on an invalid signature", "error_on_bad_signature", "expected 401, got 500", [
      nodeRefuses,
      nodeRefuses.replace("401", "500"),
    ]),
    only: ["digests"],
  },
  {
    ...node("accepts every path", "any_path_accepted", "expected 404, got 200", [
      "const method = methods.get(path);",
      'const method = methods.get(path) ?? request.method ?? "GET";',
    ]),
    only: ["routes"],
  },
  {
    ...node("responds to events with 410", "endpoint_disabled", "expected 200, got 410", [
      nodeHandles,
      "return response.writeHead(410).end();",
    ]),
    only: ["bodies/plain", "bodies/type-json"],
  },
  {
    ...node("rejects an event that it has handled before", "duplicate_refused", "expected 200, got 409", [
      nodeHandles,
      "if (methods.has(event.offerId)) return response.writeHead(409).end(); methods.set(event.offerId, event.offerId);",
    ]),
    only: ["replays/same-bytes-twice", "replays/fresh-signature"],
  },
  {
    ...node("reads a body of any size", "any_size_accepted", "got 200", [
      "if (body.length > 256 * 1024) return request.destroy();",
      "",
    ]),
    only: ["bodies/of-16-mib"],
  },
];
