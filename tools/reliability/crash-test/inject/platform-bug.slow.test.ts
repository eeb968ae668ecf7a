import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { platformBugs, withBug } from "./platform-bug.ts";

test.each(platformBugs)(
  "the bug %s applies to the platform as it is, and leaves a module that Node can read",
  (bug) => {
    expect(() => stripTypeScriptTypes(withBug(bug))).not.toThrow();
  },
);

test("a bug whose text is not there, or there twice, is refused", () => {
  expect(() => withBug("cap", "select 0")).toThrow("bug cap: outbox/claim.ts has 0 times: capacity - (");
  const line = "if (distinct.length === 0) return;";
  expect(() => withBug("wakeup", line + line)).toThrow("bug wakeup: outbox/queue.ts has 2 times: if (distinct");
});
