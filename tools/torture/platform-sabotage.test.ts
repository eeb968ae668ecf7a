import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import { platformSabotages, sabotaged } from "./platform-sabotage.ts";

test.each(platformSabotages)(
  "the sabotage %s applies to the platform as it is, and leaves a module that Node can read",
  (sabotage) => {
    expect(() => stripTypeScriptTypes(sabotaged(sabotage))).not.toThrow();
  },
);

test("a sabotage whose text is not there, or there twice, is refused", () => {
  expect(() => sabotaged("cap", "select 0")).toThrow(
    "sabotage cap: outbox/claim-rows.ts has 0 times: (select count(*)",
  );
  const line = "if (distinct.length === 0) return;";
  expect(() => sabotaged("wakeup", line + line)).toThrow(
    "sabotage wakeup: outbox/wake-lanes.ts has 2 times: if (distinct",
  );
});
