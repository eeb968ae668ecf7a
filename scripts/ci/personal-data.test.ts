// SECURITY.md lists the personal data in every table of the platform that contains any.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** Tables about organisations and their places, and tables that contain only numbers, times and row ids. */
const tablesWithoutPersonalData = [
  "encryption_key_check",
  "event_feeds",
  "notification_feeds",
  "organisations",
  "outbox_leases",
  "outbox_processes",
  "outbox_wakeups",
  "places",
];

test("SECURITY.md lists exactly the tables that contain personal data", () => {
  const folder = "examples/platform/src/store/migrations";
  const migrations = readdirSync(join(root, folder))
    .map((name) => read(`${folder}/${name}`))
    .join("\n");
  const tables = [...new Set([...migrations.matchAll(/^create table (\w+) \(/gm)].map(([, table = ""]) => table))];
  expect(tables.length).toBeGreaterThan(15);
  const listedTables = [...read("SECURITY.md").matchAll(/\btables? ((?:`\w+`(?:, )?)+)/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  expect([...new Set(listedTables), ...tablesWithoutPersonalData].sort()).toEqual(tables.sort());
});

test("SECURITY.md lists the setting for each configurable retention period", () => {
  for (const [setting] of read("examples/platform/src/settings/settings.ts").matchAll(/OFFERS_\w*RETENTION_DAYS/g))
    expect(read("SECURITY.md")).toContain(`\`${setting}\``);
});
