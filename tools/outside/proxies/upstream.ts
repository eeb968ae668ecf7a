import type { Draft } from "./raw-request.ts";

/** A request that a server has parsed and begun to serve. */
export interface SeenRequest {
  method: string;
  /** As the server saw it; of the platform, the template of its route. */
  target: string;
  isTemplate: boolean;
}

/** A server behind a proxy. Its responses have `X-Request-Id`, another one for each request. */
export interface Upstream {
  name: string;
  port: number;
  /** The headers that prove who sends a request. */
  credentials: readonly string[];
  /** A path of an effect with this text in it, encoded; undefined where there is none. */
  draftInPath(encoded: string): Promise<Draft | undefined>;
  /** A valid request with an effect. @param length of its body, at least */
  draft(length?: number): Promise<Draft>;
  /** Every request so far, by its id. */
  seen: ReadonlyMap<string, SeenRequest>;
  /** The markers of all effects so far. */
  readEffects(): Promise<readonly string[]>;
  /** What its users do every day, through this port. @returns a line for each thing that went wrong */
  journey(port: number): Promise<readonly string[]>;
  /** Errors of the server itself. */
  failures: readonly string[];
  close(): Promise<void>;
}
