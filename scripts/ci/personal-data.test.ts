// SECURITY.md lists the personal data in every table of the platform that contains any.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/**
 * Organisations, their API keys and their places are not personal data; the other tables contain numbers, times and ids
 * of rows.
 */
const withoutPersonalData = [
  "encryption_key_check",
  "event_feeds",
  "notification_feeds",
  "organisations",
  "outbox_leases",
  "outbox_processes",
  "outbox_wakeups",
  "places",
];

test("SECURITY.md names exactly the tables that contain personal data", () => {
  const folder = "examples/platform/src/store/migrations";
  const migrations = readdirSync(join(root, folder))
    .map((name) => read(`${folder}/${name}`))
    .join("\n");
  const tables = [...new Set([...migrations.matchAll(/^create table (\w+) \(/gm)].map(([, table = ""]) => table))];
  expect(tables.length).toBeGreaterThan(15);
  const named = [...read("SECURITY.md").matchAll(/\btables? ((?:`\w+`(?:, )?)+)/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  );
  expect([...new Set(named), ...withoutPersonalData].sort()).toEqual(tables.sort());
});

test("SECURITY.md says how to change the configurable periods", () => {
  for (const [setting] of read("examples/platform/src/settings/settings.ts").matchAll(/OFFERS_\w*RETENTION_DAYS/g))
    expect(read("SECURITY.md")).toContain(`\`${setting}\``);
});
