import type { Scheme } from "../signature/sign-request.ts";
import { UsageError } from "../terminal/output.ts";
import {
  type Sign,
  type Step,
  type TestVector,
  type TestVectors,
  type Text,
  toSteps,
  type VectorGroup,
  type VectorRequest,
} from "../vectors/vectors.ts";

/**
 * Returns the groups for a scheme, without empty groups. For Standard Webhooks, they include the cases of the documented scheme that do not
 * test the signature.
 */
export function vectorGroupsFor(vectors: TestVectors, scheme: Scheme): VectorGroup[] {
  const groups =
    scheme === "timestampDigest"
      ? vectors.groups
      : [...vectors.standardWebhooks, ...toStandardWebhooksGroups(vectors.groups)];
  return groups.filter(({ cases }) => cases.length > 0);
}

/**
 * Selects the cases that match `only` and do not match `skip`. Both contain names of the form `group` or `group/case`. An empty `only`
 * matches every case.
 *
 * @throws {UsageError} for an unknown name
 */
export function selectNamed(
  groups: readonly VectorGroup[],
  only: readonly string[],
  skip: readonly string[],
): VectorGroup[] {
  const knownNames = new Set(groups.flatMap(({ name, cases }) => [name, ...cases.map(({ id }) => id)]));
  const unknownName = [...only, ...skip].find((name) => !knownNames.has(name));
  if (unknownName !== undefined)
    throw new UsageError(
      `There is no group or case ${JSON.stringify(unknownName)}. The groups are ${groups.map(({ name }) => name).join(", ")}; offers probe --list prints the cases.`,
    );
  const isNamed = (names: readonly string[], group: string, id: string) => names.includes(group) || names.includes(id);
  return groups.map((group) => ({
    ...group,
    cases: group.cases.filter(
      ({ id }) => (only.length === 0 || isNamed(only, group.name, id)) && !isNamed(skip, group.name, id),
    ),
  }));
}

/** The conditions that determine which cases can be sent to a receiver. */
export interface SendLimits {
  allowEvents: boolean;
  /** Whether the secret before a rotation is available. */
  hasPreviousSecret: boolean;
  /** The endpoints that the receiver does not implement. */
  missingEndpoints: ReadonlySet<Endpoint>;
}

/** Selects the cases that can be sent, and counts the skipped cases by reason. */
export function selectSendable(
  groups: readonly VectorGroup[],
  limits: SendLimits,
): { groups: VectorGroup[]; skipped: Map<string, number> } {
  const skipped = new Map<string, number>();
  const sendableGroups = groups.map((group) => {
    const cases: TestVector[] = [];
    for (const testCase of group.cases) {
      const reason = findSkipReason(testCase, limits);
      if (reason === undefined) cases.push(testCase);
      else skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    }
    return { ...group, cases };
  });
  return { groups: sendableGroups, skipped };
}

function findSkipReason(
  testCase: TestVector,
  { allowEvents, hasPreviousSecret, missingEndpoints }: SendLimits,
): string | undefined {
  if (Object.keys(testCase.receiver ?? {}).length > 0) return "they need a receiver with a different clock or settings";
  if (!hasPreviousSecret && needsPreviousSecret(testCase))
    return "they need WEBHOOK_SECRET_PREVIOUS, the secret before a rotation";
  if (!allowEvents && isEventCase(testCase)) return "they can create work; --allow-events sends them";
  const missingEndpoint = toSteps(testCase)
    .map(({ request }) => findEndpoint(request))
    .find((endpoint) => endpoint !== undefined && missingEndpoints.has(endpoint));
  if (missingEndpoint === undefined) return undefined;
  const reason = `the receiver has no ${missingEndpoint}`;
  return missingEndpoint === "POST /offer/response" ? reason : `${reason}, which is optional`;
}

const needsPreviousSecret = (testCase: TestVector): boolean =>
  toSteps(testCase).some(({ sign, other }) => sign?.secret === "previous" || other?.secret === "previous");

/** An endpoint of the receiver, apart from the two checks. Every endpoint except `POST /offer/response` is optional. */
export type Endpoint =
  | "GET /contact/new/{workerId}"
  | "POST /contact-suggestions"
  | "POST /offer/response"
  | "POST /offer/eventDeleted"
  | "POST /events/timelineChanged";

/** A pattern for the path of each endpoint, in lower case. Every endpoint except contact suggestions receives events. */
const endpointPaths: readonly (readonly [Endpoint, RegExp])[] = [
  ["POST /offer/response", /offer\/+response/],
  ["POST /contact-suggestions", /contact-suggestions/],
  ["GET /contact/new/{workerId}", /contact\/+new/],
  ["POST /offer/eventDeleted", /offer\/+eventdeleted/],
  ["POST /events/timelineChanged", /events\/+timelinechanged/],
];

/** Returns the endpoint that a request calls, in any spelling of its path. @returns undefined for a check or an unknown path */
export function findEndpoint({ target = "", raw = "", headers = [] }: VectorRequest): Endpoint | undefined {
  const text = JSON.stringify([flatten(target), flatten(raw), headers]).toLowerCase();
  // A path may be percent-encoded once or twice, or contain backslashes.
  const spellings = [text, decode(text), decode(decode(text))].map((spelling) => spelling.replaceAll("\\", "/"));
  return endpointPaths.find(([, path]) => spellings.some((spelling) => path.test(spelling)))?.[0];
}

/** Whether a request calls an event endpoint. */
export const isEventRequest = (request: VectorRequest): boolean => {
  const endpoint = findEndpoint(request);
  return endpoint !== undefined && endpoint !== "POST /contact-suggestions";
};

/**
 * Whether a case could create work. Any request to an event endpoint could, because the receiver may wrongly accept a request that it must
 * reject. Only an unsigned request with an empty object cannot create work (D-101).
 */
export const isEventCase = (testCase: TestVector): boolean =>
  toSteps(testCase).some(({ request }) => isEventRequest(request) && !isHarmless(request));

/** Whether a request is an unsigned POST with an empty object, which lacks every field of an event. */
const isHarmless = ({ method, body, headers = [], raw }: VectorRequest): boolean =>
  raw === undefined &&
  method === "POST" &&
  body === "{}" &&
  headers.every((header) => Array.isArray(header) && header[0].toLowerCase() === "content-type");

/** Joins the parts of a string. Repeated parts occur only once. */
const flatten = (text: Text): string =>
  typeof text === "string" ? text : text.map((part) => (typeof part === "string" ? part : part.repeat)).join("");

/** Decodes the percent-encoded ASCII characters in a string. */
const decode = (text: string): string =>
  text.replaceAll(/%([0-7][0-9a-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** The signature headers of an ordinary case, as JSON. */
const digestHeaders = ['["Timestamp","{{timestamp}}"]', '["Authorization","hmac {{DIGEST}}"]'];

const standardHeaders: [string, string][] = [
  ["webhook-id", "{{webhook.id}}"],
  ["webhook-timestamp", "{{webhook.timestamp}}"],
  ["webhook-signature", "{{webhook.signature}}"],
];

/**
 * Matches requests that cannot be translated to Standard Webhooks. They use the headers or placeholders of the documented scheme, or sign a
 * chunked body, which has different bytes on the wire.
 */
const untranslatable =
  /timestamp\b|authorization|transfer-encoding|\{\{(other\.)?(digest|DIGEST|secret|SECRET|unix|YYYY|httpDate)/i;

/**
 * Returns the cases that do not test the signature, signed with Standard Webhooks. Skips the cases that test the documented headers. Also
 * skips sequences, because each of their requests would get a different id.
 */
const toStandardWebhooksGroups = (groups: readonly VectorGroup[]): VectorGroup[] =>
  groups.map((group) => ({
    ...group,
    cases: group.cases.flatMap((testCase) => toStandardWebhooksCase(testCase) ?? []),
  }));

function toStandardWebhooksCase(testCase: TestVector): TestVector | undefined {
  if ("sequence" in testCase || testCase.receiver) return undefined;
  const [step] = toSteps(testCase);
  const translated = step && toStandardWebhooksStep(step);
  return translated && { ...testCase, ...translated };
}

function toStandardWebhooksStep(step: Step): Step | undefined {
  const { request, sign } = step;
  if (sign && !isTranslatable(sign)) return undefined;
  const { headers = [], ...requestWithoutHeaders } = request;
  const otherHeaders = headers.filter((header) => !digestHeaders.includes(JSON.stringify(header)));
  const digestHeaderCount = headers.length - otherHeaders.length;
  // A case with only one of these headers tests the documented scheme.
  if (digestHeaderCount !== 0 && digestHeaderCount !== 2) return undefined;
  if (untranslatable.test(JSON.stringify([requestWithoutHeaders, otherHeaders]))) return undefined;
  const signatureHeaders = digestHeaderCount === 0 ? [] : standardHeaders;
  return { ...step, request: { ...requestWithoutHeaders, headers: [...signatureHeaders, ...otherHeaders] } };
}

const translatableFields = ["variant", "secret", "offsetMs"];

const isTranslatable = (signing: Sign): boolean =>
  Object.keys(signing).every((field) => translatableFields.includes(field));
