// Takes the pictures of the README from the screenshots of the portal: npm run check -- pictures
import { copyFileSync, globSync, mkdirSync } from "node:fs";
import { join } from "node:path";

await import("../../examples/platform/test/browser/screenshots.ts");

const root = join(import.meta.dirname, "../..");
const screenshots = join(root, "examples/platform/.cache/screenshots");
// The second offer is open and has responses.
const pictures = [
  { name: "offer", pattern: "light-portal-*-offers-ID", index: 1 },
  { name: "delivery", pattern: "light-portal-*-deliveries-ID", index: 0 },
];

mkdirSync(join(root, "docs/pictures"), { recursive: true });
for (const { name, pattern, index } of pictures) {
  const file = globSync(`${pattern}.png`, { cwd: screenshots }).sort()[index];
  if (file === undefined) throw new Error(`npm run check -- screenshots takes no picture ${pattern}`);
  copyFileSync(join(screenshots, file), join(root, "docs/pictures", `${name}.png`));
}
