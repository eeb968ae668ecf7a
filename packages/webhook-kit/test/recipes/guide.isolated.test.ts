import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const guide = readFileSync(join(import.meta.dirname, "../../../../docs/guides/recipes.md"), "utf8");
const notShown = new Set(["lambda-events.ts", "node-test.ts"]);

test("the guide shows exactly the recipes that are tested", () => {
  const shown = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
  const recipes = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !notShown.has(file),
  );
  expect(shown.sort()).toEqual(recipes.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).sort());
});
