import pg from "pg";
import { onTestFinished } from "vitest";
import { PgliteThread } from "../../src/store/pglite/pglite-thread.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
}

type Query = (this: unknown, ...parameters: unknown[]) => unknown;

/** Records every statement that a store in this process sends until the test ends. @returns the list that grows with each statement */
export function recordStatements(): Statement[] {
  const statements: Statement[] = [];
  const senders = [
    [pg.Client.prototype, "query"],
    [PgliteThread.prototype, "send"],
  ] as unknown as [Record<string, Query>, string][];
  for (const [prototype, name] of senders) {
    const send = prototype[name] as Query;
    prototype[name] = function (text, values, ...rest) {
      if (typeof text === "string") statements.push({ text, values: Array.isArray(values) ? values : [] });
      else {
        const query = text as pg.QueryConfig;
        statements.push({ text: query.text, values: query.values ?? [] });
      }
      return send.call(this, text, values, ...rest);
    };
    onTestFinished(() => {
      prototype[name] = send;
    });
  }
  return statements;
}
