import { hash } from "node:crypto";

/** More parts than any page has. The limit is needed because finding each part means searching the whole page. */
const maxParts = 32;

/**
 * Returns the parts of a page (`data-live`) that a live update asks for, except those that the browser already has.
 *
 * @param page the whole document
 * @param wanted ids with the version that the browser has, if any: `offers=1f2e3d4c decisions=`
 */
export function changedParts(page: string, wanted: string): string {
  // Look for each part only once, even if it is requested repeatedly.
  const requested = new Map(
    wanted.split(" ", maxParts).map((entry) => {
      const [id = "", knownVersion] = entry.split("=");
      return [id, knownVersion];
    }),
  );
  const parts = [...requested].flatMap(([id, knownVersion]) => {
    const part = elementWithId(page, id);
    if (part === undefined) return [];
    const version = hash("sha256", part, "hex").slice(0, 16);
    return version === knownVersion ? [] : [part.replace(" data-live=", ` data-version="${version}" data-live=`)];
  });
  const [title = ""] = /<title>[^<]*<\/title>/.exec(page) ?? [];
  return `<!doctype html>${title}${parts.join("")}`;
}

/** Finds a live part in our own markup, where every `<` in a string is escaped. */
function elementWithId(page: string, id: string): string | undefined {
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
