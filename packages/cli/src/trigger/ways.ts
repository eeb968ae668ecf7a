import { randomBytes } from "node:crypto";
import { type Scheme, signRequest } from "../signature/sign-request.ts";
import type { Shows } from "../vectors/vectors.ts";
import { createUnsignedHeaders, type Webhook } from "./write-webhook.ts";

/** A header of a test event. */
export interface TestHeader {
  /** The header name. */
  name: string;
  /** The header value. */
  value: string;
  /** A shell expression for the value, if it depends on the secret or the current time. */
  shell?: string;
}

/** A request of a test event, without the headers that every request has. */
export interface TestRequest {
  /** The HTTP method. */
  method: "GET" | "POST" | "PUT";
  /** The path below the base URL. */
  path: string;
  /** The request headers. */
  headers: TestHeader[];
  /** The request body. Empty if the request has none. */
  body: Buffer;
  /** The bytes that are signed, if they differ from the body. */
  signedBody?: Buffer;
}

/** How to send an event: the way the service sends it, or with one difference that a receiver must handle. */
export interface TestWay {
  /** The name on the command line, such as `late`. */
  name: string;
  /** The end of the sentence "Send it …". */
  title: string;
  /** `"unreadable"`: any rejection is correct, because the service then retries. */
  expects: "acknowledged" | "refused" | "unreadable";
  /** The findings for wrong responses, as in the test vectors. */
  shows: Shows;
  /** Whether the webhook can be sent this way. @default always */
  isFor?(webhook: Webhook, scheme: Scheme): boolean;
  /** Builds the requests, in order. */
  write(message: Message): TestRequest[];
}

interface SignOptions {
  /** How long ago the request was signed. @default 0 */
  ageMs?: number;
  /** The secret to sign with. @default the receiver's */
  secret?: string;
  /** The body to sign. @default the webhook's */
  body?: Buffer;
  /** Whether to omit the seconds from the timestamp. @default false */
  isToTheMinute?: boolean;
  /** The timestamp to send instead of the current time. */
  timestamp?: string;
}

/** The webhook, and the functions that build its requests. */
interface Message {
  /** The webhook to send. */
  webhook: Webhook;
  /** Returns the request for the webhook with these headers added and, optionally, other fields changed. */
  request(headers: readonly TestHeader[], change?: Partial<TestRequest>): TestRequest;
  /** Returns the signature headers. Without options, the signature is fresh and correct. */
  sign(options?: SignOptions): TestHeader[];
}

const hasBody = ({ method }: Webhook): boolean => method === "POST";
const isSigned = ({ isUnsigned }: Webhook): boolean => !isUnsigned;
const hasSignedBody = (webhook: Webhook): boolean => isSigned(webhook) && hasBody(webhook);

const minuteMs = 60_000;
const timestampNames = ["Timestamp", "webhook-timestamp"];
const signatureNames = ["Authorization", "webhook-signature"];

/** The ways to send a test event, the plain one first. */
export const testWays: readonly TestWay[] = [
  {
    name: "as-sent",
    title: "as the service sends it",
    expects: "acknowledged",
    shows: { refused: "valid_request_refused", slow: "slow_response" },
    write: ({ request, sign }) => [request(sign())],
  },
  {
    name: "twice",
    title: "twice, as after a lost acknowledgement",
    expects: "acknowledged",
    shows: { refused: "duplicate_refused" },
    isFor: ({ isRequest }) => !isRequest,
    write({ request, sign }) {
      const signedRequest = request(sign());
      return [signedRequest, signedRequest];
    },
  },
  {
    name: "four-minutes-late",
    title: "signed four minutes ago",
    expects: "acknowledged",
    shows: { refused: "tolerance_too_small" },
    isFor: isSigned,
    write: ({ request, sign }) => [request(sign({ ageMs: 4 * minuteMs }))],
  },
  {
    name: "to-the-minute",
    title: "with a Timestamp without seconds",
    expects: "acknowledged",
    shows: { refused: "precision_refused" },
    isFor: (webhook, scheme) => isSigned(webhook) && scheme === "timestampDigest",
    write: ({ request, sign }) => [request(sign({ isToTheMinute: true }))],
  },
  {
    name: "unknown-field",
    title: "with an unknown field",
    expects: "acknowledged",
    shows: { refused: "unknown_fields_refused" },
    isFor: hasSignedBody,
    write({ webhook, request, sign }) {
      const body = Buffer.from(JSON.stringify({ ...JSON.parse(webhook.body.toString()), addedLater: true }));
      return [request(sign({ body }), { body })];
    },
  },
  {
    name: "other-spacing",
    title: "with different white space in its body",
    expects: "acknowledged",
    shows: { refused: "serialised_body" },
    isFor: (webhook, scheme) => hasSignedBody(webhook) && scheme === "standardWebhooks",
    write({ webhook, request, sign }) {
      const body = Buffer.from(JSON.stringify(JSON.parse(webhook.body.toString()), undefined, 1));
      return [request(sign({ body }), { body })];
    },
  },
  {
    name: "other-media-type",
    title: "with a charset in its Content-Type",
    expects: "acknowledged",
    shows: { refused: "media_type_refused" },
    isFor: hasSignedBody,
    write({ request, sign }) {
      const signedRequest = request(sign());
      const headers = signedRequest.headers.map((header) =>
        header.name === "Content-Type" ? { ...header, value: `${header.value}; charset=utf-8` } : header,
      );
      return [{ ...signedRequest, headers }];
    },
  },
  {
    name: "other-scripts",
    title: "with text that is not ASCII",
    expects: "acknowledged",
    shows: { refused: "other_scripts_refused" },
    isFor: hasSignedBody,
    write({ webhook, request, sign }) {
      const body = Buffer.from(webhook.body.toString().replace(/:"([^"]+)"/, ':"$1 Zoë 日本 🔑"'));
      return [request(sign({ body }), { body })];
    },
  },
  {
    name: "without-optional",
    title: "without its optional field",
    expects: "acknowledged",
    shows: { refused: "optional_field_required" },
    isFor: ({ path }) => path === "/contact-suggestions",
    write({ webhook, request, sign }) {
      const { filter: _, ...required } = JSON.parse(webhook.body.toString());
      const body = Buffer.from(JSON.stringify(required));
      return [request(sign({ body }), { body })];
    },
  },
  {
    name: "unsigned",
    title: "without a signature",
    expects: "refused",
    shows: { accepted: "unsigned_accepted" },
    isFor: isSigned,
    write: ({ request }) => [request([])],
  },
  {
    name: "wrong-signature",
    title: "with an invalid signature",
    expects: "refused",
    shows: { accepted: "wrong_signature_accepted" },
    isFor: isSigned,
    write: ({ request, sign }) => [request(sign({ secret: randomBytes(32).toString("base64") }))],
  },
  {
    name: "empty-secret",
    title: "signed with an empty secret",
    expects: "refused",
    shows: { accepted: "empty_secret_accepted" },
    isFor: isSigned,
    write: ({ request, sign }) => ["", "undefined"].map((secret) => request(sign({ secret }))),
  },
  {
    name: "cut-signature",
    title: "with only the start of the signature",
    expects: "refused",
    shows: { accepted: "partial_comparison" },
    isFor: isSigned,
    write: ({ request, sign }) => [request(sign().map(cutSignature))],
  },
  {
    name: "altered-body",
    title: "with a body that was changed after it was signed",
    expects: "refused",
    shows: { accepted: "wrong_signature_accepted" },
    isFor: (webhook, scheme) => hasSignedBody(webhook) && scheme === "standardWebhooks",
    // Only the Standard Webhooks headers sign the body.
    write: ({ webhook, request, sign }) => [
      request(
        sign().filter(({ name }) => name.startsWith("webhook-")),
        { body: Buffer.concat([webhook.body, Buffer.from(" ")]), signedBody: webhook.body },
      ),
    ],
  },
  {
    name: "late",
    title: "signed ten minutes ago",
    expects: "refused",
    shows: { accepted: "old_timestamp_accepted" },
    isFor: isSigned,
    write: ({ request, sign }) => [request(sign({ ageMs: 10 * minuteMs }))],
  },
  {
    name: "early",
    title: "signed ten minutes in the future",
    expects: "refused",
    shows: { accepted: "future_timestamp_accepted" },
    isFor: isSigned,
    write: ({ request, sign }) => [request(sign({ ageMs: -10 * minuteMs }))],
  },
  {
    name: "second-timestamp",
    title: "signed an hour ago, with a second, fresh Timestamp",
    expects: "refused",
    shows: { accepted: "second_timestamp_accepted" },
    isFor: isSigned,
    write: ({ request, sign }) =>
      duplicateHeaders(timestampNames, sign({ ageMs: 60 * minuteMs }), sign()).map((headers) => request(headers)),
  },
  {
    name: "second-signature",
    title: "with a second, invalid signature",
    expects: "refused",
    shows: { accepted: "duplicate_header_accepted" },
    isFor: isSigned,
    write({ request, sign }) {
      const invalid = sign({ secret: randomBytes(32).toString("base64") });
      return duplicateHeaders(signatureNames, sign(), invalid).map((headers) => request(headers));
    },
  },
  {
    name: "other-spelling",
    title: "without a signature, to variant spellings of its path",
    expects: "refused",
    shows: { accepted: "path_confusion" },
    isFor: isSigned,
    write: ({ webhook: { path }, request }) =>
      [path.toUpperCase(), `/${path}`].map((spelling) => request([], { path: spelling })),
  },
  {
    name: "broken-body",
    title: "with a body that ends halfway",
    expects: "unreadable",
    shows: { accepted: "unreadable_body_acknowledged", failed: "server_error" },
    isFor: hasSignedBody,
    write({ webhook, request, sign }) {
      const body = webhook.body.subarray(0, webhook.body.length / 2);
      return [request(sign({ body }), { body })];
    },
  },
  {
    name: "other-method",
    title: "with a different method",
    expects: "unreadable",
    shows: { accepted: "any_method_accepted" },
    isFor: isSigned,
    write: ({ webhook, request, sign }) => [request(sign(), { method: hasBody(webhook) ? "PUT" : "POST" })],
  },
  {
    name: "other-path",
    title: "to a path that the service does not call",
    expects: "unreadable",
    shows: { accepted: "any_path_accepted" },
    isFor: isSigned,
    write: ({ webhook, request, sign }) => [request(sign(), { path: `${webhook.path}/not-a-webhook` })],
  },
  // Sent last, because it may stop the receiver.
  {
    name: "no-date",
    title: "with a Timestamp that is not a date",
    expects: "refused",
    shows: { accepted: "old_timestamp_accepted", silent: "receiver_stopped" },
    isFor: (webhook, scheme) => isSigned(webhook) && scheme === "timestampDigest",
    write: ({ request, sign }) => [request(sign({ timestamp: "yesterday" }))],
  },
];

/** Returns the ways in which a webhook can be sent. */
export const waysFor = (webhook: Webhook, scheme: Scheme): readonly TestWay[] =>
  testWays.filter(({ isFor }) => isFor === undefined || isFor(webhook, scheme));

/** Builds the requests of a test event, in order. */
export function writeTestRequests(
  way: TestWay,
  webhook: Webhook,
  {
    scheme,
    secret,
    now,
  }: {
    /** How to sign. */
    scheme: Scheme;
    /** The secret to sign with. */
    secret: string;
    /** The time to sign with. */
    now: Date;
  },
): TestRequest[] {
  const { id, isRequest, isUnsigned } = webhook;
  const request: Message["request"] = (headers, change = {}) => {
    const { method = webhook.method === "POST" ? "POST" : "GET", path = webhook.path, body = webhook.body } = change;
    const unsignedHeaders = createUnsignedHeaders({ id, isRequest, method }).map(([name, value]) => ({ name, value }));
    return { ...change, method, path, headers: [...headers, ...unsignedHeaders], body };
  };
  const sign: Message["sign"] = (options = {}) => {
    if (isUnsigned) return [];
    const { ageMs = 0, secret: otherSecret, body = webhook.body } = options;
    const time = new Date(now.getTime() - ageMs);
    const iso = time.toISOString();
    const timestamp = options.timestamp ?? (options.isToTheMinute ? `${iso.slice(0, 16)}Z` : iso);
    const signatureHeaders = signRequest(scheme, otherSecret ?? secret, { now: time, id, body, timestamp });
    // A shell command signs only with the receiver's secret.
    const shellValues: ReadonlyMap<string, string> =
      otherSecret === undefined ? createShellValues(time, options) : new Map();
    return signatureHeaders.map(([name, value]) => {
      const shell = shellValues.get(name);
      return { name, value, ...(shell !== undefined && { shell }) };
    });
  };
  return way.write({ webhook, request, sign });
}

/** Returns the shell expression for each signature header. A time in the past or the future is written as a literal. */
function createShellValues(
  time: Date,
  { ageMs = 0, timestamp, isToTheMinute }: SignOptions,
): ReadonlyMap<string, string> {
  const isCurrent = ageMs === 0;
  const currentTimestamp = timestamp ?? (isToTheMinute ? "$minute" : "$now");
  const shellTimestamp = isCurrent ? currentTimestamp : time.toISOString();
  const seconds = isCurrent ? "$seconds" : `${Math.floor(time.getTime() / 1000)}`;
  return new Map([
    ["Timestamp", shellTimestamp],
    ["Authorization", `hmac $(digest ${shellTimestamp})`],
    ["webhook-timestamp", seconds],
    ["webhook-signature", `v1,$(sign ${seconds})`],
  ]);
}

/** The scheme prefix of each header that contains a signature. */
const signaturePrefixes: Readonly<Record<string, string>> = { Authorization: "hmac ", "webhook-signature": "v1," };

/** Cuts a signature after eight characters. A receiver that accepts it compares only the start of the signature. */
function cutSignature(header: TestHeader): TestHeader {
  const { name, value, shell = "" } = header;
  const prefix = signaturePrefixes[name];
  if (prefix === undefined) return header;
  return { name, value: value.slice(0, prefix.length + 8), shell: shell.replace(/\)$/, " | cut -c1-8)") };
}

/** Returns the variants of the headers that contain each named header twice: in either order, as two lines or joined into one line. */
function duplicateHeaders(
  names: readonly string[],
  first: readonly TestHeader[],
  second: readonly TestHeader[],
): TestHeader[][] {
  const joinHeaders = (a: TestHeader, b: TestHeader): TestHeader => ({
    name: a.name,
    value: `${a.value}, ${b.value}`,
    shell: `${a.shell ?? a.value}, ${b.shell ?? b.value}`,
  });
  return [true, false].flatMap((isInOrder) =>
    [true, false].map((isJoined) =>
      first.flatMap((header) => {
        const added = names.includes(header.name) ? second.find(({ name }) => name === header.name) : undefined;
        if (!added) return [header];
        const pair: [TestHeader, TestHeader] = isInOrder ? [header, added] : [added, header];
        return isJoined ? [joinHeaders(...pair)] : pair;
      }),
    ),
  );
}
