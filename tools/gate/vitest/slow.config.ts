import { defineConfig } from "vitest/config";
import config, { limits } from "../../../vitest.config.ts";
import { measuredFiles, slowFiles } from "./slow-files.ts";

const root = new URL("../../..", import.meta.url).pathname;
// Minutes of PGlite are worth optimising.
const { projects: _, execArgv: __, ...shared } = config.test ?? {};

// One at a time: some compare what they measure.
export default defineConfig({
  root,
  test: {
    ...shared,
    ...limits,
    include: [...slowFiles, ...measuredFiles],
    exclude: [],
    maxWorkers: 1,
    env: { MEASURE: "1" },
  },
});
