import { type PGlite, protocol, type Results } from "@electric-sql/pglite";
import { PlanAge } from "../query-plans.ts";
import type { PgliteRows } from "./pglite-messages.ts";

const { parse, describe, bind, execute, close, sync } = protocol.serialize;

/** The maximum size of the cache. It needs a limit, because a query that contains a list has a different text for each length of the list. */
const maxCachedStatements = 200;

interface Statement {
  name: string;
  serializers: readonly (PGlite["serializers"][number] | undefined)[];
  columns: readonly { name: string; parse: PGlite["parsers"][number] | undefined }[];
}

/**
 * Runs statements with parameters as prepared statements. This is faster than `PGlite.query`, which parses each statement again and
 * crosses into WebAssembly six times instead of once. Prepared statements stay valid, because the schema changes only while the
 * store is opened.
 */
export class PgliteStatements {
  readonly #database: PGlite;
  /** The cached statements, least recently used first. */
  readonly #cached = new Map<string, Statement>();
  readonly #plans = new PlanAge();
  #lastNumber = 0;

  constructor(database: PGlite) {
    this.#database = database;
  }

  /** Runs a statement. @param sql one statement, or several if there are no parameters */
  async run(sql: string, parameters: readonly unknown[] = []): Promise<PgliteRows> {
    if (parameters.length === 0) return this.#runText(sql);
    if (this.#plans.isDiscardDue()) await this.#database.exec("discard plans");
    const { name, serializers, columns } = await this.#cachedStatement(sql);
    const values = parameters.map((value, index) => {
      if (value === null || value === undefined) return null;
      return serializers[index]?.(value) ?? String(value);
    });
    const rows: Record<string, unknown>[] = [];
    let affectedRows = 0;
    for (const message of await this.#send(bind({ statement: name, values }), execute({}))) {
      if (message instanceof protocol.messages.DataRowMessage) rows.push(toRow(columns, message.fields));
      // The text is, for example, "INSERT 0 2" or "UPDATE 2". Other commands, such as "BEGIN", have no count.
      if (message instanceof protocol.messages.CommandCompleteMessage)
        affectedRows = Number(message.text.split(" ").at(-1)) || 0;
    }
    return { rows, affectedRows };
  }

  async #runText(sql: string): Promise<PgliteRows> {
    const results = (await this.#database.exec(sql)) as Results<Record<string, unknown>>[];
    const affectedRows = results.at(-1)?.affectedRows;
    return { rows: results.flatMap(({ rows }) => rows), ...(affectedRows !== undefined && { affectedRows }) };
  }

  async #cachedStatement(sql: string): Promise<Statement> {
    const statement = this.#cached.get(sql) ?? (await this.#prepare(sql));
    this.#cached.delete(sql);
    this.#cached.set(sql, statement);
    const [oldest] = this.#cached;
    if (this.#cached.size > maxCachedStatements && oldest !== undefined) {
      const [oldestSql, { name }] = oldest;
      this.#cached.delete(oldestSql);
      await this.#send(close({ type: "S", name }));
    }
    return statement;
  }

  async #prepare(sql: string): Promise<Statement> {
    this.#lastNumber += 1;
    const name = `statement_${this.#lastNumber}`;
    const statement: Statement = { name, serializers: [], columns: [] };
    for (const message of await this.#send(parse({ name, text: sql }), describe({ type: "S", name }))) {
      if (message instanceof protocol.messages.ParameterDescriptionMessage)
        statement.serializers = message.dataTypeIDs.map((type) => this.#database.serializers[type]);
      if (message instanceof protocol.messages.RowDescriptionMessage)
        statement.columns = message.fields.map((field) => ({
          name: field.name,
          parse: this.#database.parsers[field.dataTypeID],
        }));
    }
    return statement;
  }

  async #send(...parts: readonly Uint8Array[]) {
    const { messages } = await this.#database.execProtocol(Buffer.concat([...parts, sync()]));
    return messages;
  }
}

function toRow(columns: Statement["columns"], fields: readonly (string | null)[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [index, { name, parse: parseText }] of columns.entries()) {
    const text = fields[index] ?? null;
    row[name] = text === null || parseText === undefined ? text : parseText(text);
  }
  return row;
}
