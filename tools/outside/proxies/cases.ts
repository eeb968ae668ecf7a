import type { Draft } from "./raw-request.ts";

/**
 * What must come of a request: `effect` once, `refused` with a status of 4xx, 501 or 505 and no effect, `either` of the two, or `dropped`,
 * which may also remain without a response because the request is not complete.
 */
export type Outcome = "effect" | "refused" | "either" | "dropped";

/** Where a case is sent to. */
export interface Sender {
  /** Another valid request. */
  draft(length?: number): Promise<Draft>;
  draftInPath(encoded: string): Promise<Draft | undefined>;
  credentials: readonly string[];
}

/** What goes over one connection. */
export interface Sent {
  parts: readonly Buffer[];
  halfClose?: boolean;
  /** What must come of each request. */
  outcomes: ReadonlyMap<string, Outcome>;
  /** How many responses are waited for. @default 1 */
  responses?: number;
  patienceMs?: number;
}

export interface Case {
  name: string;
  /** @returns undefined where the case has no meaning */
  build(sender: Sender): Promise<Sent | undefined>;
}
