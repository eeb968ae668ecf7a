import { sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Sorts names as people expect, in the same order on every store (D-158). The order of the database's default collation may be that of the
 * bytes, as in PGlite.
 */
const statements = `
alter table organisations alter column name type text collate "und-x-icu";
alter table workers alter column name type text collate "und-x-icu";
alter table places alter column name type text collate "und-x-icu";
`;

export const namesInOrder: Migration = {
  async up(db) {
    await sql.raw(statements).execute(db);
  },
};
