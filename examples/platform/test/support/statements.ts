import pg from "pg";
import { onTestFinished } from "vitest";
import { PgliteThread } from "../../src/store/pglite/pglite-thread.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
}

type Query = (this: unknown, ...parameters: unknown[]) => unknown;

/** Records every statement that a store in this process sends until the test ends. @returns a list that grows with each statement */
export function recordStatements(): Statement[] {
  const statements: Statement[] = [];
  // The cast gives both methods the same signature, so that the loop can replace either of them.
  const senders = [
    [pg.Client.prototype, "query"],
    [PgliteThread.prototype, "send"],
  ] as unknown as [Record<string, Query>, string][];
  for (const [prototype, methodName] of senders) {
    const send = prototype[methodName] as Query;
    prototype[methodName] = function (query, values, ...options) {
      statements.push(toStatement(query, values));
      return send.call(this, query, values, ...options);
    };
    onTestFinished(() => {
      prototype[methodName] = send;
    });
  }
  return statements;
}

/** Converts the arguments of a call: either SQL and its values, or a query object. */
function toStatement(query: unknown, values: unknown): Statement {
  if (typeof query === "string") return { text: query, values: Array.isArray(values) ? values : [] };
  const config = query as pg.QueryConfig;
  return { text: config.text, values: config.values ?? [] };
}
