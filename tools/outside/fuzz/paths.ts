import assert from "node:assert/strict";
import { ownPath as readOwnPath } from "../../../examples/platform/src/routes/pages/security/own-path.ts";
import { decodeParameters, endpoints, findRoute } from "../../../packages/webhook-kit/src/endpoints/endpoints.ts";
import { isWebhookKitError } from "../../../packages/webhook-kit/src/errors/errors.ts";
import { readBasePath, readTarget } from "../../../packages/webhook-kit/src/http/base-path.ts";
import { type FuzzTarget, readParts } from "./target.ts";

/** The mount path of a receiver, and the path of a request below it; the second reading splits both at their slashes. */
export const basePath: FuzzTarget = {
  words: ["/offers", "/hooks/:tenant", "/:a", "%2e", "//", "/%41", "(a+)+", "/offer/response", "/contact/new/worker_1"],
  fuzz(data) {
    const [base = "", path = ""] = readParts(data, 2);
    let strip: (path: string) => string;
    try {
      strip = readBasePath(base);
    } catch (error) {
      assert.ok(isWebhookKitError(error) && error.code === "invalid_option", "an invalid base path has its code");
      return;
    }
    assert.equal(strip(path), strippedBySegments(base, path));
    const route = findRoute(strip(path));
    const [name, parameter] = routeBySegments(strip(path));
    assert.equal(route?.endpoint.path, name, "both readings find one endpoint");
    if (route && parameter !== undefined) {
      const { workerId } = decodeParameters(route.parameters);
      if (workerId !== undefined) assert.equal(decodeURIComponent(parameter), workerId);
    }
  },
};

function strippedBySegments(base: string, path: string): string {
  const wanted = base.replace(/\/+$/, "").split("/").slice(1);
  if (wanted.length === 0) return path;
  const start = path.search(/[^/]/);
  if (start < 1) return "";
  const given = path.slice(start).split("/");
  const fits = wanted.every((segment, index) =>
    segment.startsWith(":") ? given[index] !== undefined && given[index] !== "" : segment === given[index],
  );
  return fits
    ? given
        .slice(wanted.length)
        .map((segment) => `/${segment}`)
        .join("")
    : "";
}

function routeBySegments(path: string): readonly [name?: string, parameter?: string | undefined] {
  if (!path.startsWith("/")) return [];
  const given = path.replace(/^\/+/, "").replace(/\/$/, "").split("/");
  for (const name of Object.keys(endpoints)) {
    const wanted = name.slice(1).split("/");
    const isParameter = (index: number) => wanted[index]?.startsWith("{") && given[index] !== "";
    if (
      wanted.length === given.length &&
      wanted.every((segment, index) => segment === given[index] || isParameter(index))
    )
      return [name, given[wanted.findIndex((segment) => segment.startsWith("{"))]];
  }
  return [];
}

/** The target of a request, in each of its forms (RFC 9112, 3.2); the second reading is that of URL. */
export const target: FuzzTarget = {
  words: ["http://", "https://localhost:3000", "?", "#", "*", "%2F", "//", "@", "[::1]"],
  fuzz(data) {
    const address = data.toString("latin1");
    const read = readTarget(address);
    assert.ok(read.target.startsWith(read.path) && !read.path.includes("?") && !read.target.includes("#"));
    assert.ok(address.includes(read.target), "nothing is decoded");
    const url = URL.parse(address);
    // Any other address is one that URL rewrites.
    if (url?.href !== address || !/^https?:$/.test(url.protocol) || `${url.username}${url.password}` !== "") return;
    assert.equal(read.path, url.pathname);
    assert.equal(read.target, address.slice(url.origin.length).replace(/#.*/s, ""));
  },
};

/** Where a page of the platform may lead after the sign-in: whatever base a browser resolves it against, to the same site. */
export const ownPath: FuzzTarget = {
  words: ["//", "/\\", "/..//", "http:", "javascript:", "%2f", "/offers?a=1", "\t", "/.//"],
  fuzz(data) {
    const text = data.toString("latin1");
    const path = readOwnPath(text);
    if (path === undefined) {
      assert.ok(!/^\/[a-z]+(?:\/[a-z]+)*(?:\?[a-z]+=[a-z]*)?$/.test(text), "a plain path is one of ours");
      return;
    }
    assert.equal(path, text);
    for (const base of ["https://offers.example/a/b?c#d", "http://localhost:3000/x//y/"]) {
      const url = new URL(path, base);
      assert.equal(url.href, new URL(base).origin + path, "it stays on the site, as it is written");
    }
    assert.match(path, /^\/(?![/\\])/);
  },
};
