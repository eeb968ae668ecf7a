import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { brotliDecompressSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import {
  failureFields,
  type PgliteFailure,
  type PgliteRequest,
  type PgliteResponse,
  type PgliteWorkerData,
} from "./pglite-messages.ts";
import { PgliteStatements } from "./pglite-statements.ts";

// PGlite runs in a worker thread, because opening it would block the main thread for seconds. Requests run strictly in the order in
// which `PgliteConnection` sends them.

function toFailure(error: unknown): PgliteFailure {
  const failure: PgliteFailure = { message: error instanceof Error ? error.message : String(error) };
  const fields = error as Partial<Record<string, unknown>>;
  for (const field of failureFields) {
    const value = fields[field];
    if (typeof value === "string") failure[field] = value;
  }
  return failure;
}

/** Runs a request. @returns the rows or the failure */
async function respond(
  database: PGlite,
  statements: PgliteStatements,
  request: PgliteRequest,
): Promise<PgliteResponse> {
  try {
    return { id: request.id, ...(await statements.run(request.sql, request.parameters)) };
  } catch (error) {
    if (request.standalone) await database.exec("rollback");
    return { id: request.id, failure: toFailure(error) };
  }
}

/** A snapshot of an empty database with the current schema. Loading it is faster than migrating. It exists only in the bundle. */
const template = new URL("pglite-template.tar.br", import.meta.url);

function openDatabase(folder: string): Promise<PGlite> {
  if (existsSync(join(folder, "PG_VERSION")) || !existsSync(template)) return PGlite.create(folder);
  return PGlite.create(folder, { loadDataDir: new Blob([brotliDecompressSync(readFileSync(template))]) });
}

async function serveRequests(port: MessagePort, { folder }: PgliteWorkerData): Promise<void> {
  const post = (message: PgliteResponse): void => port.postMessage(message);
  const database = await openDatabase(folder);
  const statements = new PgliteStatements(database);
  let lastResponse = Promise.resolve();
  port.on("message", (request: PgliteRequest | "close") => {
    lastResponse = lastResponse.then(async () => {
      if (request !== "close") return post(await respond(database, statements, request));
      await database.close();
      port.close();
    });
  });
  post({ ready: true });
}

if (parentPort !== null) {
  const port = parentPort;
  serveRequests(port, workerData as PgliteWorkerData).catch((error: unknown) =>
    port.postMessage({ failure: toFailure(error) } satisfies PgliteResponse),
  );
}
