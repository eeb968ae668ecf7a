import { existsSync, readdirSync, readFileSync } from "node:fs";

/** How a case is signed; every member has a default, see spec/corpus/README.md. */
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

/** A text with placeholders; one that is too long to write down has parts that are repeated. */
export type Text = string | (string | { repeat: string; times: number })[];

export interface CorpusRequest {
  method?: string;
  target?: Text;
  version?: string;
  /** A name and its value, or a whole line to be sent as it is. */
  headers?: ([name: string, value: Text] | string)[];
  without?: string[];
  body?: Text;
  bodyBase64?: string;
  raw?: string;
  end?: "half";
}

export interface ExpectedResponse {
  status: number | "closed" | (number | "closed")[];
  /** A value, or whether the header is there. */
  headers?: Record<string, string | boolean>;
  handled: number;
  /** What the handler is given. */
  given?: unknown;
  json?: unknown;
}

export interface Step {
  request: CorpusRequest;
  sign?: Sign;
  other?: Sign;
  response: ExpectedResponse | ExpectedResponse[];
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

export type CorpusCase = CaseHead & (Step | { sequence: Step[]; pipelined?: boolean });

export interface CorpusGroup {
  name: string;
  cases: CorpusCase[];
}

export interface Corpus {
  config: {
    clock: string;
    secrets: Record<string, string>;
    formats: Record<string, string>;
    texts: Record<string, string>;
    suggestions: unknown[];
    never: string[];
  };
  /** Signed with `Timestamp` and `Authorization`. */
  groups: CorpusGroup[];
  /** Signed as Standard Webhooks are. */
  standardWebhooks: CorpusGroup[];
}

/** A case of one request is a sequence of one. */
export const stepsOf = (each: CorpusCase): Step[] => ("sequence" in each ? each.sequence : [each]);

/** The build copies spec/corpus/ beside the bundle. The sources read it where it is. */
const candidates = ["corpus/", "../../../../spec/corpus/"].map((path) => new URL(path, import.meta.url));

/** @throws {Error} for an incomplete installation */
function findCorpusFolder(): URL {
  const folder = candidates.find((each) => existsSync(new URL("config.json", each)));
  if (!folder) throw new Error("The package's corpus is missing. Install @offers/cli again.");
  return folder;
}

/** The folder with the corpus's JSON files. */
export const corpusFolder: URL = findCorpusFolder();

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, corpusFolder), "utf8"));

const readGroups = (folder: string): CorpusGroup[] =>
  readdirSync(new URL(folder, corpusFolder))
    .sort()
    .map((file) => ({ name: file.replace(".json", ""), ...(readJson(folder + file) as { cases: CorpusCase[] }) }));

/** The whole corpus, a group for each file. */
export function readCorpus(): Corpus {
  return {
    config: readJson("config.json") as Corpus["config"],
    groups: readGroups("cases/"),
    standardWebhooks: readGroups("standard-webhooks/"),
  };
}
