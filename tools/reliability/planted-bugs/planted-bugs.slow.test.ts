import { expect, test } from "vitest";
import { findPostgres } from "../../test-database.ts";
import { runSeeds } from "../run-seeds.ts";
import { interleavingBugs, simulatorBugs } from "./plant.ts";

/** `report.ts` says how many they take. */
const most = { simulator: 500, interleavings: 400 };

const timeout = 600_000;

test.each(Object.keys(simulatorBugs))(
  "without the guard %s, a story breaks the contract",
  { timeout },
  async (name) => {
    const { failed } = await runSeeds("simulator", 1, most.simulator, name);
    expect(failed).toBeDefined();
  },
);

test.runIf(await findPostgres()).each(Object.keys(interleavingBugs))(
  "without the guard %s, an order of statements on PostgreSQL breaks the contract",
  { timeout },
  async (name) => {
    const { failed } = await runSeeds("interleavings", 1, most.interleavings, name);
    expect(failed).toBeDefined();
  },
);
