import { defineConfig } from "vitest/config";
import config from "../../vitest.config.ts";
import { slowFiles } from "./files.ts";

const root = new URL("../..", import.meta.url).pathname;

// One at a time: some compare what they measure.
export default defineConfig({ root, test: { ...config.test, include: slowFiles, exclude: [], maxWorkers: 1 } });
