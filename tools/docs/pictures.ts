// Takes the pictures of the README from the screenshots of the portal: npm run pictures
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";

await import("../../examples/platform/test/browser/screenshots.ts");

const root = join(import.meta.dirname, "../..");
const screenshots = join(root, "examples/platform/.cache/screenshots");
const pictures = { offer: "light-portal-*-offers-ID", delivery: "light-portal-*-deliveries-ID" };

mkdirSync(join(root, "docs/pictures"), { recursive: true });
for (const [name, pattern] of Object.entries(pictures)) {
  const [file] = globSync(`${pattern}.png`, { cwd: screenshots }).sort();
  if (file === undefined) throw new Error(`npm run screenshots takes no picture ${pattern}`);
  copyFileSync(join(screenshots, file), join(root, "docs/pictures", `${name}.png`));
}
