import { expect, test } from "vitest";
import { readBasePath } from "./base-path.ts";

test.each([
  ["/", "/test", "/test"],
  ["//", "/test", "/test"],
  ["/", "//test", "//test"],
  ["/", "", ""],
  ["/offers", "/offers/test", "/test"],
  ["/offers/", "/offers/test", "/test"],
  ["/offers//", "/offers/test/", "/test/"],
  ["/offers", "//offers/test", "/test"],
  ["/offers", "/offers//test", "//test"],
  ["/offers", "/offers", ""],
  ["/offers", "/offers/", "/"],
  ["/a/b.c", "/a/b.c/test", "/test"],
  ["/b%C3%BCro", "/b%C3%BCro/test", "/test"],
  ["/a(1)+$", "/a(1)+$/test", "/test"],
  ["/:tenant", "/north/test", "/test"],
  ["/hooks/:tenant", "/hooks/north/test/auth", "/test/auth"],
  ["/hooks/:tenant", "/hooks/a%2Fb/test", "/test"],
  ["/:tenant/hooks/:kind/", "/north/hooks/x/test", "/test"],
])("below %s, %s is %j", (base, path, below) => expect(readBasePath(base)(path)).toBe(below));

test.each([
  ["/offers", "/offersX/test"],
  ["/offers", "/Offers/test"],
  ["/offers", "/offer/test"],
  ["/offers", "/test"],
  ["/offers", "/x/offers/test"],
  ["/offers", "offers/test"],
  ["/offers", "/%6Fffers/test"],
  ["/offers", "*"],
  ["/offers", ""],
  ["/b.c", "/bxc/test"],
  ["/a/b", "/a//b/test"],
  ["/hooks/:tenant", "/hooks//test"],
  ["/hooks/:tenant", "/hooks"],
  ["/:tenant/hooks", "/north/x/hooks/test"],
])("below %s, %s is nothing", (base, path) => expect(readBasePath(base)(path)).toBe(""));

test.each([
  ["", "begins with a slash"],
  ["offers", "begins with a slash"],
  ["https://host.example/offers", "begins with a slash"],
  ["*", "begins with a slash"],
  [7 as unknown as string, "begins with a slash"],
  [null as unknown as string, "begins with a slash"],
  ["/a//b", "two slashes"],
  ["//a", "two slashes"],
  ["/hooks/:", "parameter without a name"],
  ["/:/hooks", "parameter without a name"],
  ["/..", "segments . and .."],
  ["/a/../b", "segments . and .."],
  ["/a/./b", "segments . and .."],
  ["/a/%2E%2e", "segments . and .."],
  ["/offers?x=1", "percent-encoded"],
  ["/offers#top", "percent-encoded"],
  ["/my offers", "percent-encoded"],
  ["/büro", "percent-encoded"],
  ["/a%", "percent-encoded"],
  ["/a%zz", "percent-encoded"],
  ["/a\\b", "percent-encoded"],
])("%j is no basePath", (base, words) =>
  expect(() => readBasePath(base)).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(words) }),
  ),
);
