// Writes a snapshot of an empty store with the current schema to dist/. The bundle creates new stores from it.
//   node src/sandbox/write-template.ts
// Every build writes the same bytes, because the files are in memory, the clock is stopped, and nothing is random.
import crypto from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mock } from "node:test";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import { Kysely, PGliteDialect } from "kysely";
import { packageFolder } from "../settings/package-folder.ts";
import { migrate } from "../store/migrate.ts";
import { PgliteConnection } from "../store/pglite/pglite-connection.ts";
import { PgliteStatements } from "../store/pglite/pglite-statements.ts";
import { PriorityMutex } from "../store/pglite/priority-mutex.ts";
import type { Tables } from "../store/tables.ts";

mock.timers.enable({ apis: ["Date"], now: 0 });
// PGlite gets random bytes from this function. A cluster stores 32 random bytes for clients that sign in with an unknown role.
mock.method(crypto, "randomFillSync", (bytes: Uint8Array) => bytes.fill(0));

const database = await PGlite.create();
const statements = new PgliteStatements(database);
const pglite = new PgliteConnection(
  {
    waitReady: database.waitReady,
    ready: true,
    closed: false,
    send: (text, parameters) => statements.run(text, parameters),
    close: () => database.close(),
  },
  new PriorityMutex(),
  "background",
);
const db = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
await migrate({ db, name: "pglite", label: "PGlite" });
// Remove the WAL of the cluster's creation, which would be half of the template and would be replayed at the first start.
await database.exec("set wal_recycle = off; select pg_switch_wal(); checkpoint");
const tar = Buffer.from(await (await database.dumpDataDir("none")).arrayBuffer());
await db.destroy();
// The cluster's three databases are nearly identical, so a window that is larger than one database compresses better.
const params = {
  [constants.BROTLI_PARAM_QUALITY]: 9,
  [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
};
const template = await promisify(brotliCompress)(tar, { params });
await writeFile(join(packageFolder, "dist/pglite-template.tar.br"), template);
