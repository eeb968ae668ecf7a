import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { PGlite, type Results } from "@electric-sql/pglite";
import {
  failureFields,
  type PgliteAnswer,
  type PgliteFailure,
  type PgliteQuestion,
  type PgliteRows,
  type PgliteWorkerData,
} from "./pglite-messages.ts";
import { PgliteStatements } from "./pglite-statements.ts";

// PGlite computes on its thread; on the main one it stalled HTTP for seconds while it opened. Questions are answered
// strictly in the order they were posted: who may speak when is the lanes' business.

function failureOf(error: unknown): PgliteFailure {
  const failure: PgliteFailure = { message: error instanceof Error ? error.message : String(error) };
  const fields = error as Partial<Record<string, unknown>>;
  for (const field of failureFields) {
    const value = fields[field];
    if (typeof value === "string") failure[field] = value;
  }
  return failure;
}

type Row = Record<string, unknown>;

async function run(database: PGlite, statements: PgliteStatements, question: PgliteQuestion): Promise<PgliteRows> {
  const { sql, parameters } = question;
  if (parameters !== undefined) return statements.run(sql, parameters);
  const results = (await database.exec(sql)) as Results<Row>[];
  const affectedRows = results.at(-1)?.affectedRows;
  return { rows: results.flatMap((result) => result.rows), ...(affectedRows !== undefined && { affectedRows }) };
}

async function answer(database: PGlite, statements: PgliteStatements, question: PgliteQuestion): Promise<PgliteAnswer> {
  try {
    return { id: question.id, ...(await run(database, statements, question)) };
  } catch (error) {
    if (question.standalone) await database.exec("rollback");
    return { id: question.id, failure: failureOf(error) };
  }
}

async function serve(port: MessagePort, { folder }: PgliteWorkerData): Promise<void> {
  const post = (message: PgliteAnswer): void => port.postMessage(message);
  const database = await PGlite.create(folder);
  const statements = new PgliteStatements(database);
  // A plan that is kept would be one for tables of the size they had: PGlite has no autovacuum that would replace it.
  await database.exec("set plan_cache_mode = force_custom_plan");
  let turn = Promise.resolve();
  port.on("message", (question: PgliteQuestion | "close") => {
    turn = turn.then(async () => {
      if (question !== "close") return post(await answer(database, statements, question));
      await database.close();
      port.close();
    });
  });
  post({ ready: true });
}

if (parentPort !== null) {
  const port = parentPort;
  serve(port, workerData as PgliteWorkerData).catch((error: unknown) =>
    port.postMessage({ failure: failureOf(error) } satisfies PgliteAnswer),
  );
}
