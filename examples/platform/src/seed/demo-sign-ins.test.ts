import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { demoSeedFile, describeDemoSignIns } from "./demo-sign-ins.ts";

const address = "http://127.0.0.1:3000";

test("describes the demo accounts", async () =>
  expect(await describeDemoSignIns(demoSeedFile, address)).toBe(
    "sign in to the portal at http://127.0.0.1:3000/ as hana@harbour-hotels.example, bo@bistro-group.example, or " +
      "ada@crew-agency.example, to the worker's app at http://127.0.0.1:3000/app as worker_amal, worker_ben, worker_cleo, " +
      "or worker_dana; the password is demo-password",
  ));

test("returns undefined for any other seed file, and without a seed file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-seed-"));
  const copy = join(folder, "demo.json");
  await copyFile(demoSeedFile, copy);
  expect(await describeDemoSignIns(copy, address)).toBeUndefined();
  expect(await describeDemoSignIns(undefined, address)).toBeUndefined();
  await rm(folder, { recursive: true });
});
