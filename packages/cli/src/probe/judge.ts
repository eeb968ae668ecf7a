import { isDeepStrictEqual } from "node:util";
import { type Corpus, type CorpusCase, type ExpectedResponse, stepsOf } from "../corpus/corpus.ts";
import { fillIn } from "../corpus/write-request.ts";
import { challengeOf, type Scheme } from "../signature/sign-request.ts";
import type { WireResponse } from "../wire/read-responses.ts";

/** What a receiver noted of one case. */
export interface Noted {
  handled: number;
  given?: unknown[];
  reasons?: string[];
}

/** A status, or a connection that was closed without a response. */
export type Status = number | "closed";

/** How a case went. */
export interface CaseOutcome {
  /** One for each request; undefined where the connection was closed without one. */
  responses: (WireResponse | undefined)[];
  /** What was sent, for a report. */
  sent: Buffer[];
  /** How long each request took, in milliseconds. */
  durationsMs: number[];
  problem?: Problem;
  /** No connection was accepted: nothing listens there any more. */
  isRefused?: boolean;
  /** Undefined for a receiver that cannot be asked. */
  noted?: Noted;
  /** What stood for `{{unique}}`. */
  unique: string;
  /** What no response may hold beside what the corpus names: secrets and digests. */
  secrets: string[];
}

/** No response within the time, one without an end, or more than was asked for. */
export type Problem = "no_response" | "response_too_large" | "extra_response";

const problemTexts: Readonly<Record<Problem, string>> = {
  no_response: "did not respond in time",
  response_too_large: "sent more than 4 MiB",
  extra_response: "responded more often than asked",
};

/** One way in which a case went wrong. The first four kinds are what any receiver of any language can get wrong. */
export interface Mistake {
  kind: "status" | "handled" | "leak" | "problem" | "header" | "body" | "given" | "reason" | "refusal";
  text: string;
  /** The request that it is about, counted from 0. */
  step?: number;
  /** With the kind `status`. */
  allowed?: Status[];
  got?: Status;
}

/** Every mistake of a receiver in one case; none when it is right. */
export function judge(config: Corpus["config"], each: CorpusCase, outcome: CaseOutcome, scheme: Scheme): Mistake[] {
  if (outcome.problem !== undefined) return [{ kind: "problem", text: problemTexts[outcome.problem] }];
  const steps = stepsOf(each);
  // Each request may have several right responses; a choice of one for each must fit what was handled, too.
  const choices = steps.reduce<ExpectedResponse[][]>(
    (sofar, step) => sofar.flatMap((chosen) => [step.response].flat().map((response) => [...chosen, response])),
    [[]],
  );
  const reasons = steps.flatMap(({ reason }) => reason ?? []);
  const verdicts = choices.map((chosen) => [
    ...chosen.flatMap((expected, step) => judgeResponse(expected, outcome.responses[step], step, scheme)),
    ...judgeNoted(chosen, reasons, outcome),
  ]);
  const [best = []] = verdicts.sort((one, other) => one.length - other.length);
  return [...best, ...findLeaks(config, outcome)];
}

function judgeResponse(
  expected: ExpectedResponse,
  response: WireResponse | undefined,
  step: number,
  scheme: Scheme,
): Mistake[] {
  const got = response?.status ?? "closed";
  const allowed = [expected.status].flat();
  if (!allowed.includes(got))
    return [{ kind: "status", text: `expected ${allowed.join(" or ")}, got ${got}`, step, allowed, got }];
  if (!response) return [];
  const wwwAuthenticate = response.status === 401 ? { "www-authenticate": challengeOf[scheme] } : {};
  const mistakes = Object.entries({ ...wwwAuthenticate, ...expected.headers }).flatMap(([name, value]): Mistake[] => {
    const header = response.headers.get(name);
    if (isHeaderRight(value, header)) return [];
    return [{ kind: "header", text: `${name}: expected ${value}, got ${header}`, step }];
  });
  if (expected.json === undefined || isDeepStrictEqual(parse(response.body), expected.json)) return mistakes;
  return [...mistakes, { kind: "body", text: "the body is not the one expected", step }];
}

/** Parameters and the order of a list do not count. */
const isHeaderRight = (expected: string | boolean, got: string | undefined): boolean =>
  typeof expected === "string" ? simplified(expected) === simplified(got ?? "") : (got !== undefined) === expected;

const simplified = (value: string): string =>
  (value.toLowerCase().split(";")[0] ?? "")
    .split(",")
    .map((item) => item.trim())
    .sort()
    .join();

function judgeNoted(chosen: ExpectedResponse[], reasons: string[], { noted, unique }: CaseOutcome): Mistake[] {
  if (!noted) return [];
  const handled = chosen.reduce((sum, response) => sum + response.handled, 0);
  if (handled !== noted.handled)
    return [{ kind: "handled", text: `expected ${handled} handled, got ${noted.handled}` }];
  const given = chosen.flatMap((response) =>
    response.given === undefined ? [] : [JSON.parse(fillIn(JSON.stringify(response.given), { unique })) as unknown],
  );
  const mistakes: Mistake[] = [];
  if (given.length > 0 && noted.given && !isDeepStrictEqual(noted.given, given))
    mistakes.push({ kind: "given", text: `expected ${JSON.stringify(given)}, got ${JSON.stringify(noted.given)}` });
  if (reasons.length > 0 && noted.reasons && !isDeepStrictEqual(noted.reasons, reasons))
    mistakes.push({ kind: "reason", text: `expected the reasons ${reasons}, got ${noted.reasons}` });
  return mistakes;
}

const findLeaks = (config: Corpus["config"], { responses, secrets }: CaseOutcome): Mistake[] =>
  responses.flatMap((response, step) => {
    const text = response ? [response.body, ...response.headers.values()].join("\n") : "";
    const isLeaking = [...config.never, ...secrets].some((word) => word !== "" && text.includes(word));
    return isLeaking ? [{ kind: "leak" as const, text: "repeats what was sent", step }] : [];
  });

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "latin1").toString());
  } catch {
    return undefined;
  }
}
