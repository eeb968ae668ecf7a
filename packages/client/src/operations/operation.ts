import type { OperationName } from "../contract/operation-name.ts";
import type { operations, paths } from "../generated/openapi.ts";

/** A name, method and path of one operation in spec/openapi.yaml; any other combination is a type error. */
type Route<Path extends keyof paths = keyof paths> = {
  [P in Path]: {
    [N in OperationName]:
      | (paths[P]["get"] extends operations[N] ? { name: N; method: "GET"; path: P } : never)
      | (paths[P]["post"] extends operations[N] ? { name: N; method: "POST"; path: P } : never);
  }[OperationName];
}[Path];

/**
 * The differences between the operations; the rest is common. A GET may be retried, also the withdrawal (D-10); a POST is
 * retried as D-40 says.
 */
export type Operation<Argument, Data> = Readonly<Route> & {
  /** A successful status that means that the offer does not exist (D-20). */
  readonly absentStatus?: 204;
  /** The JSON body of a POST. @throws {UsageError} for an argument of another type */
  readonly encode?: (argument: Argument) => unknown;
  /** Parses a successful response's body, or throws. Only the message of an `InvalidBodyError` is shown (D-49). */
  decode(text: string): Data;
};
