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
