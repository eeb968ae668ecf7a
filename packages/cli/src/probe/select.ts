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

/** Returns the groups for a scheme. For Standard Webhooks, they include the documented scheme's cases that do not test the signature. */
export const vectorGroupsFor = (vectors: TestVectors, scheme: Scheme): VectorGroup[] =>
  (scheme === "timestampDigest"
    ? vectors.groups
    : [...vectors.standardWebhooks, ...toStandardWebhooksGroups(vectors.groups)]
  ).filter(({ cases }) => cases.length > 0);

/**
 * Returns the cases that match `only` and do not match `skip`. Their items have the form `group` or `group/case`.
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

/** The limits on which cases can be sent to a receiver. */
export interface SendLimits {
  allowEvents: boolean;
  /** Whether the secret before a rotation is available. */
  hasPreviousSecret: boolean;
  /** The optional endpoints that the receiver does not implement. */
  missingEndpoints: ReadonlySet<Endpoint>;
}

/** Selects the cases that can be sent, and counts the skipped cases by reason. */
export function selectSendable(
  groups: readonly VectorGroup[],
  limits: SendLimits,
): { groups: VectorGroup[]; skipped: Map<string, number> } {
  const skipped = new Map<string, number>();
  const isSendable = (testCase: TestVector): boolean => {
    const reason = findSkipReason(testCase, limits);
    if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return reason === undefined;
  };
  return { groups: groups.map((group) => ({ ...group, cases: group.cases.filter(isSendable) })), skipped };
}

function findSkipReason(
  testCase: TestVector,
  { allowEvents, hasPreviousSecret, missingEndpoints }: SendLimits,
): string | undefined {
  if (Object.keys(testCase.receiver ?? {}).length > 0) return "they need a receiver with a different clock or settings";
  if (!hasPreviousSecret && signsWithPrevious(testCase))
    return "they need WEBHOOK_SECRET_PREVIOUS, the secret before a rotation";
  if (!allowEvents && isEventCase(testCase)) return "they can create work; --allow-events sends them";
  const missingEndpoint = toSteps(testCase)
    .map(({ request }) => findEndpoint(request))
    .find((endpoint) => endpoint !== undefined && missingEndpoints.has(endpoint));
  if (missingEndpoint === undefined) return undefined;
  const isOptional = missingEndpoint !== "POST /offer/response";
  return `the receiver has no ${missingEndpoint}${isOptional ? ", which is optional" : ""}`;
}

const signsWithPrevious = (testCase: TestVector): boolean =>
  toSteps(testCase).some(({ sign, other }) => sign?.secret === "previous" || other?.secret === "previous");

/** The endpoint for a webhook that an organisation need not implement. */
export type Endpoint =
  | "GET /contact/new/{workerId}"
  | "POST /contact-suggestions"
  | "POST /offer/response"
  | "POST /offer/eventDeleted"
  | "POST /events/timelineChanged";

/** Matches the path of each endpoint in a request, in any spelling. Each endpoint except contact suggestions receives events. */
const endpointPaths: readonly (readonly [Endpoint, RegExp])[] = [
  ["POST /offer/response", /offer\/+response/],
  ["POST /contact-suggestions", /contact-suggestions/],
  ["GET /contact/new/{workerId}", /contact\/+new/],
  ["POST /offer/eventDeleted", /offer\/+eventdeleted/],
  ["POST /events/timelineChanged", /events\/+timelinechanged/],
];

/** Returns the optional endpoint that a request calls, if any. */
export function findEndpoint({ target = "", raw = "", headers = [] }: VectorRequest): Endpoint | undefined {
  const text = JSON.stringify([flatten(target), flatten(raw), headers]).toLowerCase();
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

const flatten = (text: Text): string =>
  typeof text === "string" ? text : text.map((part) => (typeof part === "string" ? part : part.repeat)).join("");

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
  if (digestHeaderCount !== 0 && digestHeaderCount !== 2) return undefined;
  if (untranslatable.test(JSON.stringify([requestWithoutHeaders, otherHeaders]))) return undefined;
  const signatureHeaders = digestHeaderCount === 0 ? [] : standardHeaders;
  return { ...step, request: { ...requestWithoutHeaders, headers: [...signatureHeaders, ...otherHeaders] } };
}

const translatableFields = ["variant", "secret", "offsetMs"];

const isTranslatable = (signing: Sign): boolean =>
  Object.keys(signing).every((field) => translatableFields.includes(field));
