import { existsSync, readdirSync, readFileSync } from "node:fs";
import catalogue from "../../../../spec/corpus/findings.json" with { type: "json" };

/** The code of a finding, which is stable between releases. */
export type FindingCode = keyof typeof catalogue;

/** What is wrong with a receiver, why it matters, and what to change. */
export interface Explanation {
  /**
   * A `defect` loses events, accepts requests that must be rejected, or makes registration fail. A `note` is harmless. A
   * `difference` is permitted.
   */
  severity: "defect" | "note" | "difference";
  /** What is wrong, in a few words. */
  title: string;
  /** Why it matters. */
  why: string;
  /** What to change. */
  change: string;
  /** A line that is often the cause, and its correction. */
  line?: string;
}

/** The finding for each kind of wrong response to a request. See spec/corpus/README.md. */
export interface Shows {
  /** The receiver accepts a request that it must reject. */
  accepted?: FindingCode;
  /** The receiver rejects a request that it must accept. */
  refused?: FindingCode;
  /** The receiver rejects a request that it must accept, with 401 or 403. */
  unauthorized?: FindingCode;
  /** The receiver rejects an invalid request with an unexpected 4xx status. A 403 is always permitted. */
  refusedOtherwise?: FindingCode;
  /** The receiver responds with a 5xx status. */
  failed?: FindingCode;
  /** The receiver does not respond. */
  silent?: FindingCode;
  /** The receiver responds too late. */
  slow?: FindingCode;
  /** The findings to report instead of `accepted` or `refused`, by the id of the case that must fail too. */
  ifAlso?: Readonly<Record<string, FindingCode>>;
  /** Whether a server may wait for more bytes or close the connection instead of responding. */
  mayGoUnanswered?: boolean;
}

/** How a case is signed. Every field has a default. See spec/corpus/README.md. */
export interface Sign {
  offsetMs?: number;
  shiftMinutes?: number;
  precision?: "minute" | "second" | "ms" | "us" | "ns";
  format?: string;
  variant?: "sha256" | "hmac";
  algorithm?: string;
  secret?: string;
  over?: string;
  key?: string;
}

/** A string with placeholders. A very long string is a list of parts, some of them repeated. */
export type Text = string | (string | { repeat: string; times: number })[];

export interface VectorRequest {
  method?: string;
  target?: Text;
  version?: string;
  /** Each header is a name and a value, or a whole line that is sent unchanged. */
  headers?: ([name: string, value: Text] | string)[];
  without?: string[];
  body?: Text;
  bodyBase64?: string;
  raw?: string;
  end?: "half";
}

export interface ExpectedResponse {
  status: number | "closed" | (number | "closed")[];
  /** The value of each header, or whether the header is present. */
  headers?: Record<string, string | boolean>;
  handled: number;
  /** The arguments that the handler receives. */
  given?: unknown;
  json?: unknown;
}

export interface Step {
  request: VectorRequest;
  sign?: Sign;
  other?: Sign;
  response: ExpectedResponse | ExpectedResponse[];
  shows?: Shows;
  reason?: string;
  whileHeld?: boolean;
}

export interface ReceiverNeeds {
  clock?: string;
  without?: string[];
  handler?: "held" | "fails";
  replayProtection?: "single-use-signature";
}

interface CaseHead {
  id: string;
  title: string;
  why: string;
  choice?: string;
  receiver?: ReceiverNeeds;
}

export type TestVector = CaseHead & (Step | { sequence: Step[]; pipelined?: boolean });

export interface VectorGroup {
  name: string;
  cases: TestVector[];
}

export interface TestVectors {
  config: {
    clock: string;
    secrets: Record<string, string>;
    formats: Record<string, string>;
    texts: Record<string, string>;
    suggestions: unknown[];
    never: string[];
  };
  /** Signed with `Timestamp` and `Authorization`. */
  groups: VectorGroup[];
  /** Signed with Standard Webhooks. */
  standardWebhooks: VectorGroup[];
}

/** Returns the steps of a case. A case with one request has one step. */
export const toSteps = (testCase: TestVector): Step[] => ("sequence" in testCase ? testCase.sequence : [testCase]);

/** The build copies spec/corpus/ next to the bundle. The sources read it in place. */
const candidateFolders = ["corpus/", "../../../../spec/corpus/"].map((path) => new URL(path, import.meta.url));

/** Returns the folder that contains the test vectors. @throws {Error} for an incomplete installation */
export function findVectorsFolder(): URL {
  const folder = candidateFolders.find((url) => existsSync(new URL("config.json", url)));
  if (!folder) throw new Error("The package's test vectors are missing. Install @offers/cli again.");
  return folder;
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, findVectorsFolder()), "utf8"));

const readGroups = (folder: string): VectorGroup[] =>
  readdirSync(new URL(folder, findVectorsFolder()))
    .sort()
    .map((file) => {
      const { shows, cases } = readJson(folder + file) as { shows?: Shows; cases: TestVector[] };
      return { name: file.replace(".json", ""), cases: cases.map((testCase) => applyDefaults(testCase, shows)) };
    });

/** Applies the default findings of a group to one of its cases. */
function applyDefaults(testCase: TestVector, defaults: Shows | undefined): TestVector {
  const applyToStep = (step: Step): Step => ({ ...step, shows: { ...defaults, ...step.shows } });
  if (!("sequence" in testCase)) return { ...testCase, ...applyToStep(testCase) };
  return { ...testCase, sequence: testCase.sequence.map(applyToStep) };
}

/** Reads all test vectors, one group per file. */
export function readVectors(): TestVectors {
  return {
    config: readJson("config.json") as TestVectors["config"],
    groups: readGroups("cases/"),
    standardWebhooks: readGroups("standard-webhooks/"),
  };
}

/** The explanation of each finding, most serious first. */
export const findings = catalogue as Readonly<Record<FindingCode, Explanation>>;

/** An explanation with the code of the finding. */
export interface ExplainedFinding extends Explanation {
  /** The code of the finding, which is stable between releases. */
  code: string;
}

/**
 * Explains a finding by its code.
 *
 * @example
 * ```ts
 * import { explain } from "@offers/cli/test-events";
 *
 * console.log(explain("receiver_stopped").change);
 * ```
 */
export const explain = (code: FindingCode): ExplainedFinding => ({ code, ...findings[code] });
