import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hang, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { dana, rating, requireSignature, usePortal } from "./use-portal.ts";

describe.each(await anyStore())("the portal on $title", ({ createDatabase }) => {
  const portal = usePortal(createDatabase);
  const { call, save } = portal;

  describe("suggestions and invitations", () => {
    const otherPeople = ["bo@bistro-group.example", "ada@crew-agency.example"];
    const enableSuggestions = async (emailAddress: string, receiver: Receiver): Promise<void> => {
      const token = await portal.platform.signInPerson(emailAddress);
      const response = await save({ baseAddress: receiver.baseAddress, suggestsContacts: true }, token);
      expect(response.status).toBe(200);
    };
    const postSearch = (json: object = {}) =>
      call("POST", "/portal/suggestions/search", { json: { organisationIds: ["org_harbour"], ...json } });
    const search = async (json: object = {}) => (await postSearch(json)).json<{ results: object[] }>().results;
    const allOrganisations = { organisationIds: ["org_harbour", "org_bistro", "org_crew"] };

    test("a search sends the selected organisation a signed request with the person's addresses and the filter [D-22]", async () => {
      await save({ suggestsContacts: true });
      portal.receiver.respond = requireSignature(respondWith(200, {}, JSON.stringify([dana])));
      expect(await search({ filter: "" })).toHaveLength(1);
      expect(JSON.parse(portal.receiver.requests.at(-1)?.body ?? "")).not.toHaveProperty("filter");
      expect(await search({ filter: "chef" })).toEqual([
        {
          organisation: { id: "org_harbour", name: "Harbour Hotels" },
          suggestions: [{ ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30T00:00:00Z" }] }],
        },
      ]);
      // The search may not be the last request, because deliveries from earlier tests may be retried meanwhile.
      const { method, body } =
        portal.receiver.requests.findLast(({ url }) => url === "/hooks/contact-suggestions") ?? {};
      expect(method).toBe("POST");
      expect(JSON.parse(body ?? "")).toEqual({
        filter: "chef",
        userEmailAddresses: ["hana.lind@harbour-hotels.example", "hana@harbour-hotels.example"],
      });
    });

    test("a search does not call an organisation that switched suggestions off [D-22] [interface: Overview 5d, 5e]", async () => {
      await save({ suggestsContacts: false });
      const requestsBefore = portal.receiver.requests.length;
      expect((await postSearch()).json()).toMatchObject({ status: 422, code: "organisation_not_suggesting" });
      expect(portal.receiver.requests).toHaveLength(requestsBefore);
    });

    test("a search reports each organisation that fails, hangs or responds invalidly, and shows the suggestions of the other organisations [D-21] [interface: Errors 4]", async () => {
      const [bistro, crew] = await Promise.all([openReceiver(), openReceiver()]);
      try {
        await save({ suggestsContacts: true });
        await enableSuggestions(otherPeople[0] ?? "", bistro);
        await enableSuggestions(otherPeople[1] ?? "", crew);
        portal.receiver.respond = respondWith(200, {}, JSON.stringify([dana]));
        bistro.respond = hang;
        crew.respond = respondWith(200, {}, JSON.stringify([{ ...dana, ratings: [{ ...rating, rating: 6 }] }]));
        expect(await search(allOrganisations)).toMatchObject([
          {
            organisation: { id: "org_bistro" },
            failure: { code: "timeout", status: null, message: expect.any(String) },
          },
          {
            organisation: { id: "org_crew" },
            failure: {
              code: "invalid_suggestions",
              status: 200,
              message: expect.stringContaining("[0].ratings[0].rating"),
            },
          },
          { organisation: { id: "org_harbour" }, suggestions: [{ name: "Dana Kim" }] },
        ]);

        bistro.respond = respondWith(500);
        crew.respond = respondWith(200, {}, "<html>");
        expect(await search(allOrganisations)).toMatchObject([
          { failure: { code: "unexpected_status", status: 500 } },
          { failure: { code: "malformed_json", status: 200 } },
          { suggestions: [{}] },
        ]);

        crew.respond = respondWith(200, { "content-encoding": "gzip" }, gzipSync("[]"));
        expect(await search(allOrganisations)).toMatchObject([
          {},
          { failure: { code: "malformed_json", message: expect.stringContaining("compressed (gzip)") } },
          {},
        ]);
      } finally {
        await Promise.all([bistro.close(), crew.close()]);
      }
    });

    test("invitations send one mail to each selected person [interface: Overview 5e]", async () => {
      await save({ suggestsContacts: true });
      const people = [
        { name: "Dana Kim", emailAddress: "dana.kim@example.com" },
        { name: "Eli Roy", emailAddress: "eli.roy@example.com" },
      ];
      portal.receiver.respond = respondWith(
        200,
        {},
        JSON.stringify(people.map((person) => ({ ...person, ratings: [] }))),
      );
      await search();
      const duplicate = { name: "Eli Roy", emailAddress: "Eli.Roy@example.com" };
      const json = { organisationId: "org_harbour", people: [...people, duplicate] };
      expect((await call("POST", "/portal/invitations", { json })).json()).toMatchObject({ invitations: people });
      expect((await call("GET", "/portal/invitations")).json<{ invitations: object[] }>().invitations).toHaveLength(2);
      const mailbox = (await call("GET", "/portal/mailbox")).json<{ mails: { to: string; subject: string }[] }>();
      const invited = mailbox.mails.filter(({ subject }) => subject === "Harbour Hotels invites you");
      expect(invited.map(({ to }) => to)).toEqual(["eli.roy@example.com", "dana.kim@example.com"]);
    });

    test.each([
      [{ organisationId: "org_unknown", people: [{ name: "A", emailAddress: "a@b" }] }, 404],
      [{ organisationId: "org_harbour", people: [] }, 400],
      [{ organisationId: "org_harbour", people: [{ name: "A\nand a line", emailAddress: "a@b" }] }, 400],
      [{ organisationId: "org_harbour", people: [{ name: "A", emailAddress: "no address" }] }, 400],
    ])("an invalid invitation is rejected: %o", async (json, status) =>
      expect((await call("POST", "/portal/invitations", { json })).status).toBe(status),
    );
  });
});
