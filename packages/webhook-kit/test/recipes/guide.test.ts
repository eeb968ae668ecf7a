import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const guides = join(import.meta.dirname, "../../../../docs/guides");
const pages = globSync(["frameworks/[!R]*.md", "multi-tenant.md"], { cwd: guides }).map((file) => ({
  file,
  text: readFileSync(join(guides, file), "utf8"),
}));
/** The files that no page shows. */
const hiddenFiles = new Set(["lambda-events.ts", "node-test.ts"]);

/** Reads the TypeScript files in this folder and its subfolders whose path `isShown` accepts. */
const readRecipes = (isShown: (file: string) => boolean): string[] =>
  readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && isShown(file))
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));

test("the framework pages show exactly the tested receivers", () => {
  const shownReceivers = pages.flatMap(({ text }) =>
    [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code),
  );
  expect(shownReceivers.sort()).toEqual(
    readRecipes((file) => !file.endsWith(".test.ts") && !hiddenFiles.has(file)).sort(),
  );
});

/** Joins lines and removes the type of the request, so that differences in formatting and types do not matter. */
const normaliseCode = (text: string) =>
  text
    .replace(/,?\s+(?=[})])/g, " ")
    .replace(/\s+/g, " ")
    .replaceAll("(request: Request)", "(request)");
const testCode = normaliseCode(readRecipes((file) => file.endsWith(".test.ts")).join("\n"));

test.each(pages)("$file shows the lines of its test and lists its known limits", ({ file, text }) => {
  const [, code = ""] = /^## Test it\n[\s\S]*?^```js\n(.*?)^```$/ms.exec(text) ?? [];
  const statements = code.split(";\n").filter(Boolean);
  expect(statements).not.toEqual([]);
  for (const statement of statements)
    expect(testCode).toContain(normaliseCode(statement.replace(/^await using receiver = await /, "")).trim());
  if (file !== "multi-tenant.md") expect(text).toMatch(/^## Known limits$/m);
});
