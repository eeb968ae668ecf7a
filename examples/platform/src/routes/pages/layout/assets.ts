import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestHandler } from "express";
import { ProblemError } from "../../../http/problem.ts";
import { packageFolder } from "../../../settings/package-folder.ts";

const contentTypes = {
  css: "text/css",
  js: "text/javascript",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
} as const;
const assetNames = ["styles.css", "pages.js", "icon.svg", "app.webmanifest"] as const;

type AssetName = (typeof assetNames)[number];

const folder = join(packageFolder, "src/routes/pages/assets");

interface Asset {
  content: string;
  type: string;
  /** The file name. It contains a hash of the content, so browsers can cache the file indefinitely. */
  file: string;
}

const assets = new Map<AssetName, Asset>();
for (const name of assetNames) {
  let content = readFileSync(join(folder, name), "utf8");
  // Each file comes after the files that it refers to, so the hashed names of those files are already available.
  for (const [earlierName, earlier] of assets) content = content.replaceAll(`"${earlierName}"`, `"${earlier.file}"`);
  const [stem = "", extension = ""] = name.split(".");
  const file = `${stem}.${hash("sha256", content, "hex").slice(0, 12)}.${extension}`;
  assets.set(name, { content, type: contentTypes[extension as keyof typeof contentTypes], file });
}
const assetsByFile = new Map([...assets.values()].map((asset) => [asset.file, asset]));

/** Returns the path of an asset, which contains its content hash. */
export const assetPath = (name: AssetName): string => `/assets/${assets.get(name)?.file}`;

/** `GET /assets/{file}` */
export const assetRoute: RequestHandler = (request, response) => {
  const asset = assetsByFile.get(String(request.params.file));
  if (asset === undefined) throw new ProblemError("not_found", "Reload the page.");
  response.set("Cache-Control", "public, max-age=31536000, immutable").type(asset.type).send(asset.content);
};
