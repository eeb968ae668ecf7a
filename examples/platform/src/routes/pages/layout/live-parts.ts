import { hash } from "node:crypto";

/** Limits how many parts are looked up, because each lookup searches the whole page. No page has this many parts. */
const maxParts = 32;

/**
 * Returns the parts of a page (`data-live`) that a live update requests, except the parts that the browser already has.
 *
 * @param page the whole document
 * @param wantedParts the ids of the parts, each with the version that the browser has, if any: `offers=1f2e3d4c decisions=`
 */
export function changedParts(page: string, wantedParts: string): string {
  // The map ensures that each part is searched for only once.
  const requested = new Map(
    wantedParts.split(" ", maxParts).map((entry) => {
      const [id = "", knownVersion] = entry.split("=");
      return [id, knownVersion];
    }),
  );
  const parts = [...requested].flatMap(([id, knownVersion]) => {
    const part = findLivePart(page, id);
    if (part === undefined) return [];
    const version = hash("sha256", part, "hex").slice(0, 16);
    return version === knownVersion ? [] : [part.replace(" data-live=", ` data-version="${version}" data-live=`)];
  });
  const [title = ""] = /<title>[^<]*<\/title>/.exec(page) ?? [];
  return `<!doctype html>${title}${parts.join("")}`;
}

/** Finds a live part by counting tags. This works because every `<` in a page that this server renders starts a tag. */
function findLivePart(page: string, id: string): string | undefined {
  if (!/^[\w-]+$/.test(id)) return undefined;
  const start = new RegExp(`<(\\w+)[^<>]* id="${id}" data-live=`).exec(page);
  if (start === null) return undefined;
  let depth = 0;
  for (const tag of page.slice(start.index).matchAll(new RegExp(`<(/?)${start[1]}\\b[^>]*>`, "g"))) {
    depth += tag[1] === "" ? 1 : -1;
    if (depth === 0) return page.slice(start.index, start.index + tag.index + tag[0].length);
  }
  return undefined;
}
