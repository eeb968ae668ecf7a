import { expect, test } from "vitest";
import { isMark } from "./mark.ts";

test.each(["1:1:", "748:748:", "748:751:749", "748:751:748,750"])("%s is one", (text) =>
  expect(isMark(text)).toBe(true),
);

test.each([
  "",
  "748",
  "748:748",
  "0:1:",
  "5:3:",
  "748:751:751",
  "748:751:747",
  "748:751:750,749",
  "748:751:749,749",
  "748:751:,",
  "748:751:749,",
  "a:b:",
  "1:1:'",
  "9".repeat(30),
])("%j is none", (text) => expect(isMark(text)).toBe(false));
