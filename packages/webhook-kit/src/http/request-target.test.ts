import { expect, test } from "vitest";
import { readTarget } from "./request-target.ts";

test.each([
  ["/test", "/test", "/test"],
  ["/test?a=/b?c", "/test?a=/b?c", "/test"],
  ["/test#a?b", "/test", "/test"],
  ["/test?a#b", "/test?a", "/test"],
  ["/", "/", "/"],
  ["//", "//", "//"],
  ["//host.example/test", "//host.example/test", "//host.example/test"],
  ["/http://host.example/test", "/http://host.example/test", "/http://host.example/test"],
  ["http://host.example/test?a=1", "/test?a=1", "/test"],
  ["HTTPS://user@host.example:8443//test/", "//test/", "//test/"],
  ["http://[::1]:3000/test", "/test", "/test"],
  ["http://host.example", "", ""],
  ["http://host.example?/test", "?/test", ""],
  ["http://", "", ""],
  ["http:///test", "/test", "/test"],
  ["*", "*", "*"],
  ["host.example:443", "host.example:443", "host.example:443"],
  ["", "", ""],
])("%j has the target %j and the path %j", (address, target, path) =>
  expect(readTarget(address)).toEqual({ target, path }),
);
