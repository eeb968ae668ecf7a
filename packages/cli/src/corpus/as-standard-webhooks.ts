import { type CorpusCase, type CorpusGroup, type CorpusRequest, type Sign, type Step, stepsOf } from "./corpus.ts";

/** What an ordinary case has in place of its signature. */
const digestHeaders = JSON.stringify([
  ["Timestamp", "{{timestamp}}"],
  ["Authorization", "hmac {{DIGEST}}"],
]);

const standardHeaders: [string, string][] = [
  ["webhook-id", "{{webhook.id}}"],
  ["webhook-timestamp", "{{webhook.timestamp}}"],
  ["webhook-signature", "{{webhook.signature}}"],
];

/** A mention of the documented scheme, by its headers or its placeholders; or chunks, which are not what is signed. */
const untranslatable =
  /timestamp\b|authorization|transfer-encoding|\{\{(other\.)?(digest|DIGEST|secret|SECRET|unix|YYYY|httpDate)/i;

/**
 * The cases that are about something other than the signature, signed as Standard Webhooks are. Left out are those that look
 * at the documented headers, and sequences, in which an id has a meaning of its own.
 */
export const asStandardWebhooks = (groups: readonly CorpusGroup[]): CorpusGroup[] =>
  groups.map((group) => ({ ...group, cases: group.cases.flatMap((each) => translateCase(each) ?? []) }));

function translateCase(each: CorpusCase): CorpusCase | undefined {
  if ("sequence" in each || each.receiver) return undefined;
  const [step] = stepsOf(each);
  const translated = step && translateStep(step);
  return translated && { ...each, ...translated };
}

function translateStep(step: Step): Step | undefined {
  const { request, sign } = step;
  if (sign && !isOrdinary(sign)) return undefined;
  const { headers = [], ...rest } = request;
  const others = headers.filter((header) => !digestHeaders.includes(JSON.stringify(header)));
  const isSigned = headers.length - others.length === 2;
  if (!isSigned && others.length !== headers.length) return undefined;
  if (untranslatable.test(JSON.stringify([rest, others]))) return undefined;
  const translated: CorpusRequest = { ...rest, headers: [...(isSigned ? standardHeaders : []), ...others] };
  return { ...step, request: translated };
}

const isOrdinary = ({ variant: _, secret: __, offsetMs: ___, ...others }: Sign): boolean =>
  Object.keys(others).length === 0;
