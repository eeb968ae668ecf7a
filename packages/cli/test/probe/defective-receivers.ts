import { type DefectiveReceiver, defectiveIn } from "./defective-receiver.ts";
import { nodeReceivers } from "./defects-in-node.ts";

const python = defectiveIn("python");
const java = defectiveIn("java");
const perl = defectiveIn("perl");

// Lines of the correct receivers, which the defects replace.
const pythonHandles = 'print(event["workerId"], event["response"], event["offerId"], flush=True)';
const pythonSecret = 'SECRET = os.environ.get("WEBHOOK_SECRET", "demo-webhook-secret")';
const pythonMethods = 'METHODS = {"/offers/test": "GET", "/offers/test/auth": "GET", "/offers/offer/response": "POST"}';
const javaHandles = "System.out.println(new String(body, UTF_8));";
const perlSearch = 'return (400) if ref $addresses ne "ARRAY"';

const pythonReceivers: DefectiveReceiver[] = [
  {
    ...python("needs a Content-Length", "chunked_body_refused", "expected 200, got 400", [
      'if self.headers.get("Transfer-Encoding", "").lower() != "chunked":\n            length = int(self.headers.get("Content-Length", "0"))',
      'if True:\n            length = int(self.headers["Content-Length"] if self.command == "POST" else 0)',
    ]),
    only: ["bodies/plain", "bodies/in-chunks"],
    isMain: true,
  },
  {
    ...python("has a line feed in its secret", "secret_altered", "the secret with a trailing line feed", [
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
      "hashes the date as Python formats it",
      "reformatted_date",
      "It accepts the digest of the same time, formatted as ",
      [
        "digests(timestamps[0], secret)",
        'digests(datetime.fromisoformat(timestamps[0].replace("Z", "+00:00")).isoformat(), secret)',
      ],
    ),
    isMain: true,
  },
  {
    ...python("accepts repeated headers", "duplicate_header_accepted", "expected 401, got 200", [
      "len(timestamps) != 1 or len(authorizations) != 1",
      "not timestamps or not authorizations",
    ]),
    only: ["headers"],
  },
  {
    ...python(
      "compares only the start of the digest",
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
    "has paths with a trailing slash",
    "trailing_slash_required",
    "/offers/test/ returned 200.",
    [pythonMethods, pythonMethods.replace('"/offers/test"', '"/offers/test/"')],
    ['if path == "/offers/test":', 'if path == "/offers/test/":'],
  ),
  {
    ...python(
      "is mounted at a different base path",
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

const javaReceivers: DefectiveReceiver[] = [
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
    ...java("rejects a Timestamp without seconds", "precision_refused", "expected 200, got 401", [
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

const perlReceivers: DefectiveReceiver[] = [
  {
    ...perl(
      "finds only capitalised headers",
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
    ...perl("rejects unknown fields", "unknown_fields_refused", "expected 200, got 400", [
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
    ...perl("wraps its suggestions", "invalid_suggestions", "the body is not as expected", [
      'return (200, "Content-Type: application/json", "[]");',
      'return (200, "Content-Type: application/json", \'{"contacts":[]}\');',
    ]),
    only: ["payloads/search-plain"],
    isMain: true,
  },
];

/** Receivers with one defect each, in four languages. */
export const defectiveReceivers: readonly DefectiveReceiver[] = [
  ...nodeReceivers,
  ...pythonReceivers,
  ...javaReceivers,
  ...perlReceivers,
];
