import pg from "pg";
import { onTestFinished } from "vitest";
import { PgliteThread } from "../../src/store/pglite/pglite-thread.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
}

type Query = (this: unknown, ...parameters: unknown[]) => unknown;

/** Records every statement that any store in this process sends until the test ends. @returns the growing list */
export function recordStatements(): Statement[] {
  const statements: Statement[] = [];
  const senders = [
    [pg.Client.prototype, "query"],
    [PgliteThread.prototype, "send"],
  ] as unknown as [Record<string, Query>, string][];
  for (const [prototype, name] of senders) {
    const query = prototype[name] as Query;
    prototype[name] = function (text, values, ...rest) {
      if (typeof text === "string") statements.push({ text, values: Array.isArray(values) ? values : [] });
      else {
        const { text: prepared, values: given = [] } = text as pg.QueryConfig;
        statements.push({ text: prepared, values: given });
      }
      return query.call(this, text, values, ...rest);
    };
    onTestFinished(() => {
      prototype[name] = query;
    });
  }
  return statements;
}
