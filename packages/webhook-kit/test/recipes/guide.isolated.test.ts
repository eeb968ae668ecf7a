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

test("each recipe of the guide shows the call of its own test", () => {
  // As one line, wherever the formatter or the page breaks it.
  const onOneLine = (text: string) => text.replace(/,?\s+(?=[})])/g, " ").replace(/\s+/g, " ");
  const tests = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => onOneLine(readFileSync(join(import.meta.dirname, file), "utf8")));
  for (const recipe of guide.split(/^## /m).slice(1)) {
    const call = /^Test it.*?(`+)(.*?)\1/ms.exec(recipe)?.[2] ?? recipe;
    expect(tests.join(" ")).toContain(onOneLine(call));
  }
});
