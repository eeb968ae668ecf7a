import { describe, expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { usePlatform } from "../support/use-opened.ts";
import { hostileNext } from "./hostile-next.ts";
import { openPageClient, type SendOptions } from "./page-client.ts";

/** The number of property-test runs, which is small because each run signs in. */
const runCount = pickNumRuns(30, 150);
const publicOrigin = "https://offers.example";

const audiences = [
  { section: "the portal", signInPath: "/sign-in", name: "hana@harbour-hotels.example", home: "/" },
  { section: "the worker's app", signInPath: "/app/sign-in", name: "worker_amal", home: "/app" },
];

const platform = usePlatform();

describe.each(audiences)("signing in to $section", ({ signInPath, name, home }) => {
  /** Follows a link to the sign-in page and signs in. @returns the page's hidden `next` and the location that signing in redirects to */
  async function followLink(query: string): Promise<{ next: string; location: string }> {
    const client = openPageClient(platform.address, signInPath);
    const page = await client.get(`${signInPath}?${query}`);
    const hiddenNext = unescapeHtml(/name="next" value="([^"]*)"/.exec(page.text)?.[1] ?? "");
    const formToken = /name="formToken" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    return { next: hiddenNext, location: await signIn(hiddenNext, client, { formToken }) };
  }
  async function signIn(
    next: string,
    client = openPageClient(platform.address, signInPath),
    options: SendOptions = {},
  ): Promise<string> {
    const response = await client.send(signInPath, { name, password: "demo-password", next }, options);
    expect(response.status).toBe(303);
    return response.location ?? "";
  }
  /** Asserts that a browser stays on the platform's origin, whichever of the platform's addresses it uses. */
  function expectPlatformOrigin(location: string): void {
    for (const origin of [platform.address, publicOrigin, "http://localhost"])
      expect([location, new URL(location, origin).origin]).toEqual([location, origin]);
  }

  test("signing in redirects to a page on this site, whatever link the user followed [D-86]", {
    timeout: 60_000 + runCount * 100,
  }, async () => {
    const { host } = new URL(platform.address);
    const next = hostileNext([host, "localhost", "127.0.0.1", "offers.example"]);
    const query = fc.oneof(
      { weight: 4, arbitrary: next.map((text) => `next=${encodeURIComponent(text)}`) },
      // Encode only characters that a request line cannot contain.
      {
        weight: 2,
        arbitrary: next.map((text) => `next=${text.replaceAll(/[^!-~]|#/gu, encodeURIComponent)}`),
      },
      { weight: 1, arbitrary: next.map((text) => `next=%2Foffers&next=${encodeURIComponent(text)}`) },
    );
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const { next: hiddenNext, location } = await followLink(text);
        expectPlatformOrigin(location);
        expectPlatformOrigin(hiddenNext);
      }),
      { numRuns: runCount },
    );
  });

  test("signing in redirects to a page on this site, whatever the form contains [D-86]", {
    timeout: 60_000 + runCount * 100,
  }, async () => {
    const next = hostileNext([new URL(platform.address).host, "localhost", "127.0.0.1"]);
    await fc.assert(
      fc.asyncProperty(next, async (text) => expectPlatformOrigin(await signIn(text))),
      { numRuns: Math.ceil(runCount / 3) },
    );
  });

  test.each([
    "//localhost//localhost//evil.example/portal",
    "/.//evil.example",
    "/offers/..//evil.example",
    "/%2e%2e//evil.example",
    "/\t/evil.example",
    "http://localhost//evil.example",
  ])("signing in with the next page %j redirects to the home page", async (next) =>
    expect(await followLink(`next=${encodeURIComponent(next)}`)).toEqual({ next: home, location: home }),
  );

  test.each(["/offers/offer_1?before=a%2Fb&x=1", "/deliveries?state=dead", "/invitations//x", "/a%2F%2Fevil.example"])(
    "signing in redirects to the requested page %j [D-86]",
    async (next) =>
      expect(await followLink(`next=${encodeURIComponent(next)}`)).toEqual({ next: next, location: next }),
  );
});

const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => entities[name] ?? "");

const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
