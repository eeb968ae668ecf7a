import { type PGlite, protocol } from "@electric-sql/pglite";
import { openPglite } from "../../packages/webhook-kit/test/support/open-pglite.ts";
import type { Result } from "./clients.ts";
import { runAtWallTime } from "./schedule.ts";

const { parse, describe, sync, query } = protocol.serialize;

interface Statement {
  name: string;
  serializers: readonly (PGlite["serializers"][number] | undefined)[];
  columns: readonly Column[];
}

interface Column {
  name: string;
  parse: PGlite["parsers"][number] | undefined;
}

/** The server's reply to one message. */
interface Reply {
  /** One result per statement. */
  results: Result[];
  parameterTypes: number[];
  columns: Column[];
  error?: Error;
}

/**
 * The server's settings. Durability is off, because the data is not needed after the process exits. Plans are generic, because all tables
 * have few rows.
 */
const settings = {
  wal_level: "minimal",
  max_wal_senders: "0",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_wal_size: "64MB",
  wal_init_zero: "off",
  track_counts: "off",
  jit: "off",
  plan_cache_mode: "force_generic_plan",
  random_page_cost: "1.1",
};

/**
 * Runs statements in PGlite's only session, one at a time. PGlite asks JavaScript for the time, so `now()` and `clock_timestamp()` follow
 * the schedule. Statements go over the wire protocol, in one call, because `PGlite.query` crosses into WebAssembly six times.
 */
export class Session {
  readonly #database: PGlite;
  readonly #statements = new Map<string, Statement>();

  private constructor(database: PGlite) {
    this.#database = database;
  }

  static async open(): Promise<Session> {
    return new Session(await openPglite(settings));
  }

  /**
   * Runs one statement, or several separated by semicolons.
   *
   * @param nowMs the time by the server's clock
   * @throws the server's error
   */
  run(nowMs: number, text: string, values: readonly unknown[] = []): Result | Result[] {
    if (values.length > 0 || !text.includes(";")) return this.#execute(nowMs, text, values);
    const { results, error } = this.#send(nowMs, query(text));
    if (error !== undefined) throw error;
    return results.length === 1 ? (results[0] as Result) : results;
  }

  /** Runs a single statement as a prepared statement. */
  #execute(nowMs: number, text: string, values: readonly unknown[]): Result {
    const { name, serializers, columns } = this.#statements.get(text) ?? this.#prepare(nowMs, text);
    const parameters = values.map((value, index) =>
      value === null || value === undefined ? null : (serializers[index]?.(value) ?? String(value)),
    );
    const { results, error } = this.#send(nowMs, encodeExecution(name, parameters), columns);
    if (error !== undefined) throw error;
    return results[0] as Result;
  }

  /** Prepares a statement, and caches it by its text. */
  #prepare(nowMs: number, text: string): Statement {
    const name = `statement_${this.#statements.size}`;
    const parts = [parse({ name, text }), describe({ type: "S", name }), sync()];
    const { parameterTypes, columns, error } = this.#send(nowMs, Buffer.concat(parts));
    if (error !== undefined) throw error;
    const serializers = parameterTypes.map((type) => this.#database.serializers[type]);
    const statement = { name, serializers, columns };
    this.#statements.set(text, statement);
    return statement;
  }

  /** Sends a message and parses the reply. @param columns the columns of the rows, if the reply does not describe them */
  #send(nowMs: number, message: Uint8Array, columns: readonly Column[] = []): Reply {
    const chunks: Buffer[] = [];
    // This method calls `onRawData` before it returns. `execProtocolRawSync` would waste time by parsing the reply.
    const ended = runAtWallTime(nowMs, () =>
      this.#database.execProtocolRawStream(message, {
        syncToFs: false,
        onRawData: (chunk) => chunks.push(Buffer.from(chunk)),
      }),
    );
    // Crash the process: the server's errors are in the reply, so this is a bug.
    ended.catch((error) => {
      throw error;
    });
    return this.#parseReply(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), columns);
  }

  /**
   * Parses the server's messages: `T` and `t` describe columns and parameters, `D` is a row, `C` completes a statement, and `E` is an error.
   *
   * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
   */
  #parseReply(bytes: Buffer, columns: readonly Column[]): Reply {
    const reply: Reply = { results: [], parameterTypes: [], columns: [] };
    let currentColumns = columns;
    let rows: Record<string, unknown>[] = [];
    for (let offset = 0; offset < bytes.length; offset += 1 + bytes.readInt32BE(offset + 1)) {
      const type = String.fromCharCode(bytes[offset] as number);
      // The type takes one byte, and the length takes four.
      const content = offset + 5;
      if (type === "D") rows.push(readRow(bytes, content, currentColumns));
      else if (type === "T") {
        reply.columns = this.#readColumns(bytes, content);
        currentColumns = reply.columns;
      } else if (type === "t")
        for (let index = 0; index < bytes.readInt16BE(content); index += 1)
          reply.parameterTypes.push(bytes.readInt32BE(content + 2 + 4 * index));
      else if (type === "C") {
        const tag = readString(bytes, content);
        // "INSERT 0 2", "UPDATE 2"
        reply.results.push({ command: tag, rowCount: Number(tag.split(" ").at(-1)) || 0, rows, fields: [] });
        rows = [];
      } else if (type === "E") reply.error ??= readError(bytes, content);
    }
    return reply;
  }

  #readColumns(bytes: Buffer, start: number): Column[] {
    const columns: Column[] = [];
    // The number of columns takes two bytes.
    let offset = start + 2;
    for (let index = 0; index < bytes.readInt16BE(start); index += 1) {
      const name = readString(bytes, offset);
      offset += Buffer.byteLength(name) + 1;
      // The type follows the table (4 bytes) and the column (2). After the type (4), there are 8 more bytes.
      columns.push({ name, parse: this.#database.parsers[bytes.readInt32BE(offset + 6)] });
      offset += 18;
    }
    return columns;
  }
}

/** Encodes the messages Bind, Execute and Sync. PGlite's own serializers are slow for small statements. */
function encodeExecution(statement: string, values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  // Bind has its length, an empty portal name, the statement name, three counts and the values. Execute takes 10 bytes, and Sync takes 5.
  const bindLength =
    4 + 1 + statement.length + 1 + 2 + 2 + 2 + lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 0);
  const bytes = Buffer.alloc(1 + bindLength + 10 + 5);
  let offset = bytes.write("B", 0);
  offset = bytes.writeInt32BE(bindLength, offset);
  // Use an unnamed portal, and send all parameters as strings.
  offset += 1 + bytes.write(statement, offset + 1) + 1;
  offset = bytes.writeInt16BE(values.length, offset + 2);
  for (const [index, value] of values.entries()) {
    offset = bytes.writeInt32BE(lengths[index] as number, offset);
    if (value !== null) offset += bytes.write(value, offset);
  }
  // Request all columns as strings.
  offset += 2;
  offset += bytes.write("E", offset);
  offset = bytes.writeInt32BE(9, offset) + 5;
  offset += bytes.write("S", offset);
  bytes.writeInt32BE(4, offset);
  return bytes;
}

const readString = (bytes: Buffer, start: number): string => bytes.toString("utf8", start, bytes.indexOf(0, start));

function readRow(bytes: Buffer, start: number, columns: readonly Column[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  // The number of columns takes two bytes.
  let offset = start + 2;
  for (const { name, parse: read } of columns) {
    const length = bytes.readInt32BE(offset);
    offset += 4;
    const text = length < 0 ? null : bytes.toString("utf8", offset, offset + length);
    offset += Math.max(0, length);
    row[name] = text === null || read === undefined ? text : read(text);
  }
  return row;
}

function readError(bytes: Buffer, start: number): Error {
  const fields: Record<string, string> = {};
  for (let offset = start; bytes[offset] !== 0; ) {
    const text = readString(bytes, offset + 1);
    fields[String.fromCharCode(bytes[offset] as number)] = text;
    offset += Buffer.byteLength(text) + 2;
  }
  // M is the message, C is the SQLSTATE code, and V is the severity.
  return Object.assign(new Error(fields.M), { code: fields.C, severity: fields.V });
}
