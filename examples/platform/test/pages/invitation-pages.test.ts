import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secret } from "../contract/harbour-fixture.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const json = { "content-type": "application/json" };
const rating = { rating: 4, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30" };

// One store is enough, because portal-suggestions.test.ts runs the same statements on all stores.
describe.each((await anyStore()).slice(0, 1))("the invitation pages on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let harbour: Receiver;
  let bistro: Receiver;
  let hana: PageClient;
  let bo: PageClient;
  beforeAll(async () => {
    [harbour, bistro] = [await openReceiver(), await openReceiver()];
    hana = await openSignedInClient("hana@harbour-hotels.example");
    bo = await openSignedInClient("bo@bistro-group.example");
    await saveProfile("hana@harbour-hotels.example", harbour);
    await saveProfile("bo@bistro-group.example", bistro);
    const dana = {
      name: "Dana <b>Kim</b>",
      emailAddress: "dana.kim@example.com",
      ratings: [rating],
      profileImageUrl: `${harbour.baseAddress}/dana.png?size=80`,
    };
    const farah = { name: "Farah Aziz", emailAddress: "farah@example.com", ratings: [] };
    harbour.respond = (request, response) => {
      if (request.url.startsWith("/dana.png")) response.writeHead(200, { "content-type": "text/html" }).end(png);
      else respondWith(200, json, JSON.stringify([dana, farah]))(request, response);
    };
    bistro.respond = respondWith(200, json, '[{"name":"s3cret"}]');
  });
  afterAll(async () => {
    await Promise.all([harbour.close(), bistro.close()]);
  });

  async function openSignedInClient(name: string): Promise<PageClient> {
    const client = openPageClient(platform.address);
    await client.signIn(name);
    return client;
  }
  async function saveProfile(name: string, { baseAddress }: Receiver): Promise<void> {
    const token = await platform.signInPerson(name);
    const profile = { baseAddress, secret, suggestsContacts: true };
    expect((await platform.call("PUT", "/portal/profile", { token, json: profile })).status).toBe(200);
  }
  const readInvitedAddresses = async (name: string): Promise<string[]> => {
    const token = await platform.signInPerson(name);
    const { invitations } = (await platform.call("GET", "/portal/invitations", { token })).json<{
      invitations: { emailAddress: string }[];
    }>();
    return invitations.map(({ emailAddress }) => emailAddress);
  };
  const findImagePath = (text: string): string => /src="(\/invitations\/images\/[^"]+)"/.exec(text)?.[1] ?? "";
  const search = async (client: PageClient, filter = "", organisationIds = ["org_harbour"]) =>
    client.send("/invitations/search", { organisationIds, filter });
  const searchRequests = ({ requests }: Receiver) => requests.filter(({ url }) => url === "/contact-suggestions");
  const personField = (name: string, emailAddress: string): string => JSON.stringify({ name, emailAddress });

  describe("signed-out clients", () => {
    test.each(["/invitations", "/invitations/search?filter=x", "/invitations/images/v1.x"])(
      "a signed-out client is redirected from %s to the sign-in page",
      async (path) => {
        const before = harbour.requests.length;
        const { status, location } = await openPageClient(platform.address).get(path);
        expect([status, location]).toEqual([303, `/sign-in?next=${encodeURIComponent(path)}`]);
        expect(harbour.requests).toHaveLength(before);
      },
    );

    test("a signed-out client cannot invite anyone", async () => {
      const fields = { organisationId: "org_harbour", person: personField("Eve", "eve@example.com") };
      expect((await openPageClient(platform.address).send("/invitations", fields)).status).toBe(401);
    });
  });

  test("a worker's session cannot open the invitation pages", async () => {
    const amal = openPageClient(platform.address, "/app/sign-in");
    await amal.signIn("worker_amal");
    const Cookie = amal.cookie().replace("offers-app-", "offers-portal-");
    expect((await openPageClient(platform.address).get("/invitations", { Cookie })).status).toBe(303);
  });

  test("a search sends the person's addresses and the filter, and shows the people that each organisation suggests", async () => {
    const { status, text } = await search(hana, "chef");
    expect(status).toBe(200);
    expect(JSON.parse(searchRequests(harbour).at(-1)?.body ?? "")).toEqual({
      filter: "chef",
      userEmailAddresses: ["hana.lind@harbour-hotels.example", "hana@harbour-hotels.example"],
    });
    expect(text).toContain("Dana &lt;b&gt;Kim&lt;/b&gt;");
    expect(text).toContain("dana.kim@example.com");
    expect(text).toContain("4 of 5");
    expect(text).toContain("Harbour Kitchen");
    expect(text).toContain('<time datetime="2025-11-30T00:00:00Z">30 Nov 2025</time>');
    expect(text).toContain("Farah Aziz");
    expect(text).toContain('value="chef"');
  });

  test("an organisation's invalid response to a search is reported, and the other organisations' suggestions are shown", async () => {
    const { text } = await search(hana, "", ["org_harbour", "org_bistro"]);
    expect(text).toContain("Bistro Group returned no suggestions: The response is not a valid list of suggestions");
    expect(text).not.toContain("s3cret");
    expect(text.indexOf("Farah Aziz")).toBeLessThan(text.indexOf("Bistro Group returned no"));
  });

  test("a search filter that is too long is rejected", async () =>
    expect((await search(hana, "x".repeat(501))).status).toBe(400));

  describe("searches", () => {
    const listOrganisationChoices = (text: string) =>
      [...text.matchAll(/name="organisationIds" value="([^"]+)"( checked)?> <span>([^<]+)/g)].map(
        ([, id, checked, name]) => [id, name, checked !== undefined],
      );

    test("the search form lists the user's organisation first and selected, and the others by name [D-88]", async () => {
      const harbourFirst = [
        ["org_harbour", "Harbour Hotels", true],
        ["org_bistro", "Bistro Group", false],
      ];
      const { text } = await hana.get("/invitations");
      expect(listOrganisationChoices(text)).toEqual(harbourFirst);
      expect(text).toContain("hana.lind@harbour-hotels.example, hana@harbour-hotels.example");
      expect(listOrganisationChoices((await bo.get("/invitations")).text)).toEqual(
        harbourFirst.toReversed().map(([id, name, checked]) => [id, name, !checked]),
      );
      const ada = await openSignedInClient("ada@crew-agency.example");
      expect(listOrganisationChoices((await ada.get("/invitations")).text)).toEqual([
        ["org_bistro", "Bistro Group", false],
        ["org_harbour", "Harbour Hotels", false],
      ]);
    });

    test("a search calls only the selected organisations, and they stay selected", async () => {
      const before = searchRequests(harbour).length;
      const { text } = await search(hana, "", ["org_bistro"]);
      expect(listOrganisationChoices(text)).toEqual([
        ["org_harbour", "Harbour Hotels", false],
        ["org_bistro", "Bistro Group", true],
      ]);
      expect(searchRequests(harbour)).toHaveLength(before);
    });

    test("a search from a plain link or without a selected organisation does not send addresses [D-88]", async () => {
      const before = [searchRequests(harbour).length, searchRequests(bistro).length];
      for (const path of ["/invitations/search?organisationIds=org_bistro", "/invitations/search?filter=chef"])
        expect(await hana.get(path)).toMatchObject({ status: 303, location: "/invitations" });
      const { status, text } = await search(hana, "chef", []);
      expect(status).toBe(422);
      expect(text).toContain("Select at least one organisation.");
      expect(text).toContain('value="chef"');
      for (const forged of [{ formToken: "" }, { headers: { "Sec-Fetch-Site": "cross-site" } }])
        expect((await hana.send("/invitations/search", { organisationIds: "org_bistro" }, forged)).status).toBe(403);
      expect([searchRequests(harbour).length, searchRequests(bistro).length]).toEqual(before);
    });

    test("a search that includes an organisation without suggestions is rejected, and the form lists the organisations with suggestions", async () => {
      const before = searchRequests(harbour).length;
      const { status, text } = await search(hana, "", ["org_harbour", "org_crew"]);
      expect(status).toBe(422);
      expect(text).toContain("Choose only organisations that implement suggestions.");
      expect(listOrganisationChoices(text)).toHaveLength(2);
      expect(searchRequests(harbour)).toHaveLength(before);
    });
  });

  describe("profile images", () => {
    test("a profile image is fetched unsigned and served by the platform with its real type", async () => {
      const path = findImagePath((await search(hana)).text);
      const { status, headers } = await hana.get(path);
      expect(status).toBe(200);
      expect(headers.get("content-type")).toBe("image/png");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(headers.get("cache-control")).toBe("no-store");
      const imageRequests = harbour.requests.filter(({ url }) => url === "/dana.png?size=80");
      expect(imageRequests).toHaveLength(1);
      expect(imageRequests[0]?.headers).not.toHaveProperty("authorization");
      expect(imageRequests[0]?.headers).not.toHaveProperty("timestamp");
      expect(imageRequests[0]?.headers).not.toHaveProperty("cookie");
    });

    test("a profile image is served only to the session that searched for it", async () => {
      const path = findImagePath((await search(hana)).text);
      expect((await bo.get(path)).status).toBe(404);
      expect((await (await openSignedInClient("hana@harbour-hotels.example")).get(path)).status).toBe(404);
      expect((await openPageClient(platform.address).get(path, { Accept: "image/*" })).status).toBe(401);
    });

    test.each(["v1.AAAA", "x", "http%3A%2F%2F127.0.0.1%2F", "%00"])(
      "the made-up profile image reference %s gets 404, and nothing is fetched",
      async (ref) => {
        const before = harbour.requests.length;
        expect((await hana.get(`/invitations/images/${ref}`)).status).toBe(404);
        expect(harbour.requests).toHaveLength(before);
      },
    );
  });

  describe("invitations", () => {
    test("an invitation is sent once to each selected person", async () => {
      await search(hana);
      const fields = {
        organisationId: "org_harbour",
        person: [personField("Farah Aziz", "farah@example.com"), personField("Farah Aziz", "FARAH@example.com")],
      };
      expect(await hana.send("/invitations", fields)).toMatchObject({ status: 303, location: "/invitations" });
      const { text } = await hana.get("/invitations");
      expect(text).toContain("Invited: Farah Aziz.");
      expect(await readInvitedAddresses("hana@harbour-hotels.example")).toEqual(["farah@example.com"]);
      expect((await search(hana)).text).toContain("already invited");
      expect((await bo.get("/invitations")).text).not.toContain("Farah");
      expect(await readInvitedAddresses("bo@bistro-group.example")).toEqual([]);
    });

    test("inviting a person who was not found or was invited recently is rejected, and shows the search again", async () => {
      await search(hana);
      const fields = { organisationId: "org_harbour", filter: "chef" };
      for (const [person, message] of [
        [personField("Eve", "eve@example.com"), "Select people from a search in this session"],
        [personField("Farah Aziz", "farah@example.com"), "less than 30 days ago"],
      ] as const) {
        const { status, text } = await hana.send("/invitations", { ...fields, person });
        expect(status).toBe(422);
        expect(text).toContain(message);
        expect(text).toContain('value="chef"');
        expect(text).toMatch(/value="[^"]*farah@example\.com[^"]*" disabled>/);
      }
      expect(await readInvitedAddresses("hana@harbour-hotels.example")).toEqual(["farah@example.com"]);
    });

    test("submitting an invitation form twice sends one invitation [D-85]", async () => {
      const ada = await openSignedInClient("ada@crew-agency.example");
      const [, idempotencyKey = ""] = /name="idempotencyKey" value="([^"]+)"/.exec((await search(ada)).text) ?? [];
      expect(idempotencyKey).not.toBe("");
      const fields = {
        organisationId: "org_harbour",
        person: personField("Farah Aziz", "farah@example.com"),
        idempotencyKey,
      };
      for (const _ of ["first", "again"])
        expect(await ada.send("/invitations", fields)).toMatchObject({ status: 303, location: "/invitations" });
      expect((await ada.get("/invitations")).text).toContain("Invited: Farah Aziz.");
      expect(await readInvitedAddresses("ada@crew-agency.example")).toEqual(["farah@example.com"]);
    });

    test("an invitation without selected people shows an error and the search again [D-83]", async () => {
      const { status, text } = await bo.send("/invitations", { organisationId: "org_harbour", filter: "chef" });
      expect(status).toBe(422);
      expect(text).toContain("Select at least one person.");
      expect(text).toContain('value="chef"');
      expect(text).toContain("Farah Aziz");
    });

    test.each([
      ["an invalid person", { organisationId: "org_harbour", person: "{" }, 400],
      ["an invalid email address", { organisationId: "org_harbour", person: personField("Eve", "eve") }, 400],
      [
        "a person that no search found",
        { organisationId: "org_harbour", person: personField("Eve", "eve@example.com") },
        422,
      ],
      ["a line break", { organisationId: "org_harbour", person: personField("Eve\nBcc: x", "eve@example.com") }, 400],
      [
        "101 people",
        { organisationId: "org_harbour", person: Array(101).fill(personField("Eve", "eve@example.com")) },
        400,
      ],
      ["no organisation", { person: personField("Eve", "eve@example.com") }, 400],
      ["an unknown organisation", { organisationId: "x", person: personField("Eve", "eve@example.com") }, 404],
      [
        "an organisation without suggestions",
        { organisationId: "org_crew", person: personField("Eve", "eve@example.com") },
        404,
      ],
    ])("an invitation with %s is rejected", async (_, fields, status) => {
      expect((await bo.send("/invitations", fields)).status).toBe(status);
      expect(await readInvitedAddresses("bo@bistro-group.example")).toEqual([]);
    });

    test.each([
      ["without a token", { formToken: "" }],
      ["from another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
      ["from another origin", { headers: { Origin: "http://evil.example" } }],
    ])("a forged invitation %s is rejected", async (_, options) => {
      const fields = { organisationId: "org_harbour", person: personField("Eve", "eve@example.com") };
      for (const forged of [options, { formToken: await hana.formToken() }])
        expect((await bo.send("/invitations", fields, forged)).status).toBe(403);
      expect(await readInvitedAddresses("bo@bistro-group.example")).toEqual([]);
    });
  });

  test("the search form finds organisations by name, and marks organisations that were searched before [D-123]", async () => {
    const ada = await openSignedInClient("ada@crew-agency.example");
    const { text } = await ada.get("/invitations?organisation=BISTRO");
    expect(text).toContain("Bistro Group");
    expect(text).not.toContain("Harbour Hotels</span>");
    expect((await ada.get("/invitations?organisation=nothing%25")).text).toContain("No organisation with this name");
    await search(ada, "", ["org_bistro"]);
    expect((await ada.get("/invitations")).text).toMatch(/Bistro Group<small>Searched before<\/small>/);
  });

  test("a person who was invited before is marked with the date and the inviter [D-123]", async () => {
    const card =
      (await search(hana)).text.split('<li class="person">').find((part) => part.includes("farah@example.com")) ?? "";
    expect(card).toMatch(/already invited<\/span> <time datetime="[^"]+">[^<]+<\/time> by Hana Lind/);
    expect((await hana.get("/invitations")).text).toMatch(/by Hana Lind[\s\S]*Invited<\/span>/);
  });

  test("inviting many people, in any alphabet, confirms it with some names and a count [D-80]", async () => {
    const ownReceiver = harbour.respond;
    const people = Array.from({ length: 60 }, (_, index) => ({
      name: `Константин Константинопольский ${index}`,
      emailAddress: `konstantin-${index}@example.com`,
      ratings: [],
    }));
    harbour.respond = respondWith(200, json, JSON.stringify(people));
    await search(hana);
    harbour.respond = ownReceiver;
    const person = people.map(({ name, emailAddress }) => personField(name, emailAddress));
    const invited = await hana.send("/invitations", { organisationId: "org_harbour", person });
    expect(invited).toMatchObject({ status: 303, location: "/invitations" });
    const { text } = await hana.get("/invitations");
    expect(text).toContain("Invited: Константин Константинопольский 0, ");
    expect(text).toMatch(/and 50 others\.<\/p>/);
  });
});
