import { ConfigurationError } from "../errors/errors.ts";

/** Returns the part of a percent-encoded path below the base path; empty for any other path. */
export type StripBasePath = (path: string) => string;

/** Matches a path segment (RFC 3986, `pchar`). On the wire, a path contains no other characters. */
const segmentPattern = /^(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+$/i;
const dotSegmentPattern = /^(?:\.|%2e){1,2}$/i;

/**
 * Parses the mount path of a receiver that has no router in front: `/offers`, or `/hooks/:tenant`, where a segment that starts with `:`
 * matches any single segment. A request's path may start with several slashes.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function readBasePath(basePath: string): StripBasePath {
  if (typeof basePath !== "string" || !basePath.startsWith("/"))
    throw new ConfigurationError(
      "invalid_option",
      'basePath must be a string that starts with a slash, such as "/offers".',
    );
  const plain = basePath.replace(/\/+$/, "");
  if (plain === "") return (path) => path;
  const segments = plain.slice(1).split("/");
  const problem = segments.map(findSegmentProblem).find(Boolean);
  if (problem) throw new ConfigurationError("invalid_option", `basePath ${problem}.`);
  const pattern = new RegExp(`^/+${segments.map(toPattern).join("/")}(?=/|$)`);
  return (path) => {
    const [base] = pattern.exec(path) ?? [];
    return base === undefined ? "" : path.slice(base.length);
  };
}

function findSegmentProblem(segment: string): string | undefined {
  if (segment === "") return "must not contain two slashes in a row";
  if (segment === ":") return "has a parameter without a name: use /:tenant";
  if (dotSegmentPattern.test(segment)) return 'must not contain the segments "." or ".."';
  if (!segmentPattern.test(segment)) return "must be a percent-encoded path without white space, a query or a fragment";
  return undefined;
}

const toPattern = (segment: string): string =>
  segment.startsWith(":") ? "[^/]+" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Matches the scheme, host and port at the start of a URL. */
const originPattern = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Returns a URL's path with its query, and the path alone, both still percent-encoded. Removes the scheme and host, which a request target
 * may include (RFC 9112, absolute-form). A target such as `*`, which is not a path, is returned unchanged.
 */
export function readTarget(url: string): { readonly target: string; readonly path: string } {
  const withoutOrigin = url.startsWith("/") ? url : url.replace(originPattern, "");
  const [target] = withoutOrigin.split("#", 1) as [string];
  const [path] = target.split("?", 1) as [string];
  return { target, path };
}
