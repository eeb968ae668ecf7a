import { mkdir, readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { runCommand } from "../../processes/run-command.ts";

/**
 * Writes a CycloneDX file for each of these packages of a workspace: what is installed with it.
 *
 * @returns how many components they list
 */
export async function writeBillsOfMaterials(
  workspace: string,
  names: readonly string[],
  destination: string,
): Promise<number> {
  await mkdir(destination, { recursive: true });
  const filters = names.flatMap((name) => ["--filter", name]);
  const out = join(resolve(destination), "%s-%v.json");
  const options = ["--split", "--prod", "--sbom-format", "cyclonedx", "--out", out];
  await runCommand("pnpm", [...filters, "sbom", ...options], { cwd: workspace });
  const files = await readdir(destination);
  if (files.length !== names.length) throw new Error(`${files.length} bills of materials for ${names.length} packages`);
  let components = 0;
  for (const file of files) {
    const content = JSON.parse(await readFile(join(destination, file), "utf8")) as { components?: unknown[] };
    components += content.components?.length ?? 0;
  }
  return components;
}
