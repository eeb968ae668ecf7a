import { expect, test } from "vitest";
import { changedParts } from "./live-parts.ts";

const page = `<!doctype html><html><head><title>Offers</title></head><body>
<section class="panel" id="offers" data-live="offer"><section>of <b>two</b></section><p>&lt;/section&gt;</p></section>
<section id="mails" data-live="mail">none</section><section id="still">never</section></body></html>`;

const versionIn = (parts: string): string => /data-version="(\w+)"/.exec(parts)?.[1] ?? "";

test("returns the requested parts and the title", () =>
  expect(changedParts(page, "offers=").replace(/ data-version="\w{16}"/, "")).toBe(
    '<!doctype html><title>Offers</title><section class="panel" id="offers" data-live="offer">' +
      "<section>of <b>two</b></section><p>&lt;/section&gt;</p></section>",
  ));

test("omits a part that the browser already has", () => {
  const version = versionIn(changedParts(page, "offers="));
  expect(changedParts(page, `offers=${version} mails=${version}`)).not.toContain("two");
  expect(changedParts(page, `offers=${version} mails=${version}`)).toContain("none");
  expect(changedParts(page.replace("two", "three"), `offers=${version}`)).toContain("three");
});

test.each(["still=", "unknown=", "1", "", "offers.*="])("returns only the title for %j", (wanted) =>
  expect(changedParts(page, wanted)).toBe("<!doctype html><title>Offers</title>"),
);

test("returns a part only once, even if it is requested 2,000 times", () => {
  const wanted = Array.from({ length: 2_000 }, () => "offers=").join(" ");
  expect(changedParts(page, wanted)).toBe(changedParts(page, "offers="));
});

test("ignores parts beyond the limit of 32", () => {
  const others = Array.from({ length: 32 }, (_, index) => `other-${index}=`);
  expect(changedParts(page, [...others, "offers="].join(" "))).not.toContain("two");
});
