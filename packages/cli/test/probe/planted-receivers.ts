import type { DefectCode } from "../../src/probe/defects.ts";
import type { Edit, Program } from "../support/start-program.ts";

/** A right receiver with one defect. */
export interface PlantedReceiver {
  program: Program;
  defect: string;
  /** The lines that are wrong, in place of those that are right. */
  edits: readonly Edit[];
  env?: Record<string, string>;
  found: DefectCode;
  /** What the first finding says beside its code; part of the request's result or of the remedy. */
  says: string;
  /** The groups and cases that show it in a short run. Without them, the service's own checks do. */
  only?: readonly string[];
  /** Part of `npm test`. The slow suite has all, with every case. */
  isMain?: true;
}

const node = (defect: string, found: DefectCode, says: string, ...edits: Edit[]) => ({
  program: "node" as const,
  defect,
  found,
  says,
  edits,
});
const python = (...args: Parameters<typeof node>) => ({ ...node(...args), program: "python" as const });
const java = (...args: Parameters<typeof node>) => ({ ...node(...args), program: "java" as const });
const perl = (...args: Parameters<typeof node>) => ({ ...node(...args), program: "perl" as const });

const nodeGiven = 'const given = Buffer.from(/^hmac +([0-9a-f]{64})$/i.exec(authorization)?.[1] ?? "", "hex");';
const nodeExpected = 'const expected = createHash("sha256").update(timestamp + secret).digest();';
const nodeHandles = `console.log(\`\${event.workerId} \${event.response} \${event.offerId}\`);`;
const nodeRefuses = "if (!isSigned || !isRecent) return response.writeHead(401).end();";
const nodeTest = 'if (path === "/offers/test") return response.end();';
const nodeParses = "Date.parse(timestamp)";
const pythonHandles = 'print(event["workerId"], event["response"], event["offerId"], flush=True)';
const pythonSecret = 'SECRET = os.environ.get("WEBHOOK_SECRET", "demo-webhook-secret")';
const pythonMethods = 'METHODS = {"/offers/test": "GET", "/offers/test/auth": "GET", "/offers/offer/response": "POST"}';
const javaHandles = "System.out.println(new String(body, UTF_8));";
const perlSearch = 'return (400) if ref $addresses ne "ARRAY"';
const localZones = ["America/St_Johns", "Pacific/Kiritimati"];

const plantedInNode: PlantedReceiver[] = [
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
      "accepts an HMAC only",
      "hmac_only",
      "It accepts the HMAC of the timestamp under the secret.",
      ["import { createHash,", "import { createHmac,"],
      [nodeExpected, 'const expected = createHmac("sha256", secret).update(timestamp).digest();'],
    ),
    isMain: true,
  },
  {
    ...node(
      "hashes the date as JavaScript writes it",
      "reformatted_date",
      "It accepts the digest of the same time written as ",
      [nodeExpected, nodeExpected.replace("timestamp +", "new Date(Date.parse(timestamp) || 0).toISOString() +")],
    ),
    only: ["timestamps/second", "timestamps/minute", "digests/minute-precision-appended"],
    isMain: true,
  },
  {
    ...node("stops at a Timestamp that is no date", "receiver_stopped", "connections are refused since", [
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
    ...node("asks for a signature at /test", "test_needs_authentication", "expected 200, got 401", [nodeTest, ""]),
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
    ...node("has no secret", "secret_missing", "the word undefined as its secret", [
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
    ...node("checks no time", "old_timestamp_accepted", "expected 401, got 200", [
      "!isSigned || !isRecent",
      "!isSigned",
    ]),
    only: ["freshness"],
  },
  {
    ...node("checks the age in one direction", "future_timestamp_accepted", "expected 401, got 200", [
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
    ...node("fails at a bad signature", "error_on_bad_signature", "expected 401, got 500", [
      nodeRefuses,
      nodeRefuses.replace("401", "500"),
    ]),
    only: ["digests"],
  },
  {
    ...node("has every path", "any_path_accepted", "expected 404, got 200", [
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
    ...node("refuses an event that it has handled before", "duplicate_refused", "expected 200, got 409", [
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

const plantedInPython: PlantedReceiver[] = [
  {
    ...python("needs a Content-Length", "chunked_body_refused", "expected 200, got 400", [
      'if self.headers.get("Transfer-Encoding", "").lower() != "chunked":\n            length = int(self.headers.get("Content-Length", "0"))',
      'if True:\n            length = int(self.headers["Content-Length"] if self.command == "POST" else 0)',
    ]),
    only: ["bodies/plain", "bodies/in-chunks"],
    isMain: true,
  },
  {
    ...python("has a line feed in its secret", "secret_altered", "the secret with a line feed at its end", [
      pythonSecret,
      `${pythonSecret} + "\\n"`,
    ]),
    isMain: true,
  },
  {
    ...python("reads the Timestamp as local time", "zone_ignored", "UTC", [
      "earliest = datetime.fromisoformat(text)",
      "earliest = datetime.fromisoformat(text[:19]).astimezone()",
    ]),
    env: { TZ: "Asia/Kathmandu" },
    isMain: true,
  },
  {
    ...python("acknowledges events with 201", "wrong_success_status", "expected 200, got 201", [
      pythonHandles,
      "return self.respond(201)",
    ]),
    only: ["bodies/plain", "bodies/type-json"],
  },
  {
    ...python(
      "hashes the date as Python writes it",
      "reformatted_date",
      "It accepts the digest of the same time written as ",
      [
        "digests(timestamps[0], secret)",
        'digests(datetime.fromisoformat(timestamps[0].replace("Z", "+00:00")).isoformat(), secret)',
      ],
    ),
    isMain: true,
  },
  {
    ...python("takes any of several headers", "duplicate_header_accepted", "expected 401, got 200", [
      "len(timestamps) != 1 or len(authorizations) != 1",
      "not timestamps or not authorizations",
    ]),
    only: ["headers"],
  },
  {
    ...python(
      "compares the beginning of the digest",
      "partial_comparison",
      "expected 401, got 200",
      ["hmac.compare_digest(match[1].lower(), digest)", "digest.startswith(match[1].lower())"],
      ["([0-9A-Fa-f]{64})", "([0-9A-Fa-f]{0,64})"],
    ),
    only: ["digests"],
  },
  python("has no /test/auth", "auth_check_missing", "expected 200, got 404", [
    pythonMethods,
    pythonMethods.replace('"/offers/test/auth": "GET", ', ""),
  ]),
  python(
    "has its paths with a slash at the end",
    "trailing_slash_required",
    "/offers/test/ gets 200.",
    [pythonMethods, pythonMethods.replace('"/offers/test"', '"/offers/test/"')],
    ['if path == "/offers/test":', 'if path == "/offers/test/":'],
  ),
  {
    ...python(
      "is at another base path",
      "wrong_base_path",
      "/webhooks.",
      [pythonMethods, pythonMethods.replaceAll("/offers/", "/webhooks/")],
      ['if path == "/offers/test":', 'if path == "/webhooks/test":'],
    ),
    isMain: true,
  },
  python("has no POST /offer/response", "event_endpoint_missing", "expected 200, got 404", [
    pythonMethods,
    pythonMethods.replace("/offers/offer/response", "/offers/offers/response"),
  ]),
];

const plantedInJava: PlantedReceiver[] = [
  java("expects the word Bearer", "wrong_scheme_word", "the word Bearer instead of hmac", [
    '"(?i:hmac) +',
    '"(?:Bearer) +',
  ]),
  java(
    "hashes the secret first",
    "wrong_signed_text",
    "SHA-256 of the secret followed by the timestamp",
    ["(timestamp + secret)", "(secret + timestamp)"],
    ["mac.doFinal(timestamp.getBytes(UTF_8))", "mac.doFinal(UTF_8.encode(secret + timestamp).array())"],
  ),
  {
    ...java("redirects events", "redirected", "got 302", [javaHandles, "return 302;"]),
    only: ["bodies/plain", "bodies/type-json"],
  },
  {
    ...java("refuses a Timestamp without seconds", "precision_refused", "expected 200, got 401", [
      "OffsetDateTime.parse(timestamp).toInstant()",
      "Instant.parse(timestamp)",
    ]),
    only: ["timestamps/second", "timestamps/minute", "digests/minute-precision-appended"],
  },
  {
    ...java("reads the Timestamp as local time", "zone_ignored", "UTC", [
      "OffsetDateTime.parse(timestamp).toInstant()",
      'java.time.LocalDateTime.parse(timestamp.replaceAll("(Z|[+-]\\\\d\\\\d:\\\\d\\\\d)$", "")).atZone(java.time.ZoneId.systemDefault()).toInstant()',
    ]),
    env: { TZ: "Europe/Vienna" },
  },
];

const plantedInPerl: PlantedReceiver[] = [
  {
    ...perl(
      "finds headers in capitals only",
      "header_case_matters",
      "expected 200, got 401",
      [
        "push @{ $headers{ lc $1 } }, $2;",
        'push @{ $headers{ $1 eq "Timestamp" || $1 eq "Authorization" ? $1 : lc $1 } }, $2;',
      ],
      ["qw(timestamp authorization)", "qw(Timestamp Authorization)"],
    ),
    only: ["headers"],
  },
  {
    ...perl("compares the whole media type", "media_type_refused", "expected 200, got 415", [
      "    my $length = $headers",
      '    return (415) if $method eq "POST" && ($headers->{"content-type"}[0] // "") ne "application/json";\n    my $length = $headers',
    ]),
    only: ["searches"],
  },
  {
    ...perl("requires the filter", "optional_field_required", "expected 200, got 400", [
      perlSearch,
      `return (400) unless ref $search eq "HASH" && defined $search->{filter};\n    ${perlSearch}`,
    ]),
    only: ["payloads"],
  },
  {
    ...perl("refuses fields that it does not know", "unknown_fields_refused", "expected 200, got 400", [
      perlSearch,
      `return (400) if ref $search eq "HASH" && grep { !/^(filter|userEmailAddresses)$/ } keys %$search;\n    ${perlSearch}`,
    ]),
    only: ["payloads"],
  },
  {
    ...perl("responds to searches with 201", "wrong_success_status", "expected 200, got 201", [
      'return (200, "Content-Type: application/json", "[]");',
      'return (201, "Content-Type: application/json", "[]");',
    ]),
    only: ["payloads/search-plain"],
    isMain: true,
  },
  {
    ...perl("wraps its suggestions", "invalid_suggestions", "the body is not the one expected", [
      'return (200, "Content-Type: application/json", "[]");',
      'return (200, "Content-Type: application/json", \'{"contacts":[]}\');',
    ]),
    only: ["payloads/search-plain"],
    isMain: true,
  },
];

/** Receivers with one planted defect each, in four languages. */
export const plantedReceivers: readonly PlantedReceiver[] = [
  ...plantedInNode,
  ...plantedInPython,
  ...plantedInJava,
  ...plantedInPerl,
];
