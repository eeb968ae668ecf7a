import pg from "pg";
import { onTestFinished } from "vitest";
import { PgliteConnection } from "../../src/store/pglite/pglite-connection.ts";

export interface Statement {
  text: string;
  values: readonly unknown[];
}

type Query = (this: unknown, ...parameters: unknown[]) => unknown;

/** @returns grows with each statement that any store of this process sends, until the test ends */
export function recordStatements(): Statement[] {
  const statements: Statement[] = [];
  for (const { prototype } of [pg.Client, PgliteConnection] as unknown as { prototype: { query: Query } }[]) {
    const query = prototype.query;
    prototype.query = function (text, values, ...rest) {
      if (typeof text === "string") statements.push({ text, values: Array.isArray(values) ? values : [] });
      else {
        const { text: prepared, values: given = [] } = text as pg.QueryConfig;
        statements.push({ text: prepared, values: given });
      }
      return query.call(this, text, values, ...rest);
    };
    onTestFinished(() => {
      prototype.query = query;
    });
  }
  return statements;
}
