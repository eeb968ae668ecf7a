import { expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../../../scripts/property-seed.ts";
import { hostileNext } from "../../../../test/pages/hostile-next.ts";
import { ownPath } from "./own-path.ts";

const origins = ["https://offers.example", "http://127.0.0.1:3000", "http://localhost", "http://localhost:8080"];

test("accepts only paths that stay on every origin, even when they are parsed again [D-86]", () => {
  const hosts = origins.map((origin) => new URL(origin).host);
  fc.assert(
    fc.property(hostileNext(hosts), (text) => {
      const path = ownPath(text);
      if (path === undefined) return;
      expect(path).toBe(text);
      expect(path).toMatch(/^\/(?![/\\])[!-~]*$/);
      expect(ownPath(path)).toBe(path);
      for (const origin of origins) {
        const url = new URL(path, origin);
        expect(url.href).toBe(origin + path);
        expect(new URL(url.pathname, origin).origin).toBe(origin);
      }
    }),
    { numRuns: pickNumRuns(1_000, 10_000) },
  );
});

test.each(["/", "/offers", "/offers/offer_1?before=a%2Fb&x=1", "/a//b", "/app/offers/x%20y", "/x?next=//evil.example"])(
  "accepts the path %j",
  (path) => expect(ownPath(path)).toBe(path),
);

test.each([
  "",
  "offers",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "https://evil.example/",
  "//localhost//localhost//evil.example/portal",
  "//localhost/offers",
  "http://localhost/offers",
  "http:/offers",
  "/.//evil.example",
  "/..//evil.example",
  "/a/..//evil.example",
  "/%2e%2e//evil.example",
  "/%2E//evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  " //evil.example",
  "/offers\r\nSet-Cookie: a=b",
  "javascript:alert(1)",
  "data:text/html,x",
  "//user@localhost/",
  "http://user:pw@localhost/",
  "/offers#part",
  "/ö",
])("rejects %j, which is not a normalised path on this site", (text) => expect(ownPath(text)).toBeUndefined());
