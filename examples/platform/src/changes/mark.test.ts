import { expect, test } from "vitest";
import { isMark, partsOfMark } from "./mark.ts";

test.each(["1:1:@0", "748:748:@1763770000", "748:751:749@1763770000", "748:751:748,750@1763770000"])(
  "%s is one",
  (text) => expect(isMark(text)).toBe(true),
);

test("has a snapshot and a time", () =>
  expect(partsOfMark("748:751:748,750@1763770000")).toEqual({
    snapshot: "748:751:748,750",
    takenAtSeconds: 1763770000,
  }));

test.each([
  "",
  "748",
  "748:748@1",
  "748:748:",
  "748:748:@",
  "0:1:@1",
  "5:3:@1",
  "748:751:751@1",
  "748:751:747@1",
  "748:751:750,749@1",
  "748:751:749,749@1",
  "748:751:,@1",
  "748:751:749,@1",
  "a:b:@1",
  "1:1:'@1",
  `${"9".repeat(30)}:1:@1`,
  `1:900000000000:${Array.from({ length: 2_000 }, (_, index) => 800_000 + index).join()}@1`,
])("%j is none", (text) => expect(isMark(text)).toBe(false));
