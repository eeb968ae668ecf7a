import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { hang, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { authenticating, dana, rating, usePortal } from "./use-portal.ts";

describe.each(await anyStore())("the portal on $title", ({ createDatabase }) => {
  const portal = usePortal(createDatabase);
  const { call, save } = portal;

  describe("suggestions and invitations", () => {
    const others = ["bo@bistro-group.example", "ada@crew-agency.example"];
    const implement = async (emailAddress: string, on: Receiver): Promise<void> => {
      const as = await portal.platform.signInPerson(emailAddress);
      const response = await save({ baseAddress: on.baseAddress, suggestsContacts: true }, as);
      expect(response.status).toBe(200);
    };
    const ask = (json: object = {}) =>
      call("POST", "/portal/suggestions/search", { json: { organisationIds: ["org_harbour"], ...json } });
    const search = async (json: object = {}) => (await ask(json)).json<{ results: object[] }>().results;
    const ofAll = { organisationIds: ["org_harbour", "org_bistro", "org_crew"] };

    test("ask the named organisations that implement them, signed, with the person's addresses and the filter [D-22]", async () => {
      await save({ suggestsContacts: true });
      portal.receiver.respond = authenticating(respondWith(200, {}, JSON.stringify([dana])));
      expect(await search({ filter: "" })).toHaveLength(1);
      expect(JSON.parse(portal.receiver.requests.at(-1)?.body ?? "")).not.toHaveProperty("filter");
      expect(await search({ filter: "chef" })).toEqual([
        {
          organisation: { id: "org_harbour", name: "Harbour Hotels" },
          suggestions: [{ ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30T00:00:00Z" }] }],
        },
      ]);
      // Find the search, because deliveries from earlier tests may be retried meanwhile.
      const { method, body } =
        portal.receiver.requests.findLast(({ url }) => url === "/hooks/contact-suggestions") ?? {};
      expect(method).toBe("POST");
      expect(JSON.parse(body ?? "")).toEqual({
        filter: "chef",
        userEmailAddresses: ["hana.lind@harbour-hotels.example", "hana@harbour-hotels.example"],
      });
    });

    test("do not call an organisation that turned them off [D-22] [interface: Overview 5d, 5e]", async () => {
      await save({ suggestsContacts: false });
      const asked = portal.receiver.requests.length;
      expect((await ask()).json()).toMatchObject({ status: 422, code: "organisation_not_suggesting" });
      expect(portal.receiver.requests).toHaveLength(asked);
    });

    test("report an organisation that fails, hangs or sends an invalid response, and show the others [D-21] [interface: Errors 4]", async () => {
      const [bistro, crew] = await Promise.all([openReceiver(), openReceiver()]);
      try {
        await save({ suggestsContacts: true });
        await implement(others[0] ?? "", bistro);
        await implement(others[1] ?? "", crew);
        portal.receiver.respond = respondWith(200, {}, JSON.stringify([dana]));
        bistro.respond = hang;
        crew.respond = respondWith(200, {}, JSON.stringify([{ ...dana, ratings: [{ ...rating, rating: 6 }] }]));
        expect(await search(ofAll)).toMatchObject([
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
        expect(await search(ofAll)).toMatchObject([
          { failure: { code: "unexpected_status", status: 500 } },
          { failure: { code: "malformed_json", status: 200 } },
          { suggestions: [{}] },
        ]);

        crew.respond = respondWith(200, { "content-encoding": "gzip" }, gzipSync("[]"));
        expect(await search(ofAll)).toMatchObject([
          {},
          { failure: { code: "malformed_json", message: expect.stringContaining("compressed (gzip)") } },
          {},
        ]);
      } finally {
        await Promise.all([bistro.close(), crew.close()]);
      }
    });

    test("send one mail to each selected person [interface: Overview 5e]", async () => {
      await save({ suggestsContacts: true });
      const people = [
        { name: "Dana Kim", emailAddress: "dana.kim@example.com" },
        { name: "Eli Roy", emailAddress: "eli.roy@example.com" },
      ];
      portal.receiver.respond = respondWith(200, {}, JSON.stringify(people.map((one) => ({ ...one, ratings: [] }))));
      await search();
      const again = { name: "Eli Roy", emailAddress: "Eli.Roy@example.com" };
      const json = { organisationId: "org_harbour", people: [...people, again] };
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
    ])("invite nobody with %o", async (json, status) =>
      expect((await call("POST", "/portal/invitations", { json })).status).toBe(status),
    );
  });
});
