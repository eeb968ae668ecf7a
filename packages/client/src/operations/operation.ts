import type { OperationName } from "../contract/operation-name.ts";
import type { operations, paths } from "../generated/openapi.ts";

/** A name, method and path that belong together in spec/openapi.yaml; anything else is a type error. */
type Route<Path extends keyof paths = keyof paths> = {
  [P in Path]: {
    [N in OperationName]:
      | (paths[P]["get"] extends operations[N] ? { name: N; method: "GET"; path: P } : never)
      | (paths[P]["post"] extends operations[N] ? { name: N; method: "POST"; path: P } : never);
  }[OperationName];
}[Path];

/**
 * All that tells one operation from another; the pipeline knows the rest. A GET has the same effect however often it
 * arrives, the withdrawal too (D-10); a POST is repeated as D-40 says.
 */
export type Operation<Argument, Data> = Readonly<Route> & {
  /** A successful status that means there is no such thing (D-20). */
  readonly absentStatus?: 204;
  /** What a POST sends as JSON. @throws {UsageError} for an argument of another type */
  readonly encode?: (argument: Argument) => unknown;
  /** Reads a successful response's text, or throws. Only the message of an `InvalidBodyError` is shown (D-49). */
  decode(text: string): Data;
};
