import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("zod is asked for as a range, so that a user's own zod will do", () => {
  const { dependencies } = JSON.parse(read("../../package.json")) as { dependencies: { zod: string } };
  const { catalogs } = parse(read("../../../../pnpm-workspace.yaml")) as {
    catalogs: Record<string, { zod?: string }>;
  };
  const [, catalog = ""] = /^catalog:(\w+)$/.exec(dependencies.zod) ?? [];
  expect(catalogs[catalog]?.zod).toMatch(/^\^4\.\d+\.\d+$/);
});
