import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestHandler } from "express";
import { ProblemError } from "../../../http/problem.ts";
import { packageFolder } from "../../../settings/package-folder.ts";

const types = {
  css: "text/css",
  js: "text/javascript",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
} as const;
const names = ["styles.css", "pages.js", "icon.svg", "app.webmanifest"] as const;

type AssetName = (typeof names)[number];

const folder = join(packageFolder, "src/routes/pages/assets");

interface Asset {
  content: string;
  type: string;
  /** The file name, which contains a hash of the content, so that it can be cached for ever. */
  file: string;
}

const assets = new Map<AssetName, Asset>();
for (const name of names) {
  // Each file comes after the files that it refers to, so their hashed names are known here.
  const content = [...assets].reduce(
    (text, [earlierName, { file }]) => text.replaceAll(`"${earlierName}"`, `"${file}"`),
    readFileSync(join(folder, name), "utf8"),
  );
  const [stem = "", ending = ""] = name.split(".");
  const file = `${stem}.${hash("sha256", content, "hex").slice(0, 12)}.${ending}`;
  assets.set(name, { content, type: types[ending as keyof typeof types], file });
}
const byFile = new Map([...assets.values()].map((asset) => [asset.file, asset]));

/** Returns the path of an asset, which contains its content hash. */
export const assetPath = (name: AssetName): string => `/assets/${assets.get(name)?.file}`;

/** `GET /assets/{file}` */
export const assetRoute: RequestHandler = (request, response) => {
  const asset = byFile.get(String(request.params.file));
  if (asset === undefined) throw new ProblemError("not_found", "Reload the page.");
  response.set("Cache-Control", "public, max-age=31536000, immutable").type(asset.type).send(asset.content);
};
