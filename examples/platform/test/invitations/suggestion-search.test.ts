import { describe, expect, test } from "vitest";
import { anyStore } from "../support/stores/stores.ts";
import { ada, bo, hana, useInvitations } from "./use-invitations.ts";

describe.each(await anyStore())("invitations on $title", ({ createDatabase }) => {
  const invitations = useInvitations(createDatabase);
  const { signIn, suggest, search } = invitations;

  describe("searches of selected organisations", () => {
    test("a search sends the person's addresses only to the selected organisations [D-88]", async () => {
      const token = await signIn(hana);
      suggest([]);
      suggest([], invitations.bistro);
      const countBefore = invitations.bistro.requests.length;
      expect((await search(token, ["org_harbour"])).json<{ results: object[] }>().results).toHaveLength(1);
      expect(invitations.bistro.requests).toHaveLength(countBefore);
      expect((await search(token, ["org_bistro", "org_harbour", "org_bistro"])).json()).toMatchObject({
        results: [{ organisation: { id: "org_bistro" } }, { organisation: { id: "org_harbour" } }],
      });
      expect(invitations.bistro.requests).toHaveLength(countBefore + 1);
    });

    test.each([null, [], "org_harbour", [""], [7], Array(1_001).fill("org_harbour")])(
      "a search with the organisation ids %j gets 400 and calls no endpoint",
      async (organisationIds) => {
        const before = [invitations.harbour.requests.length, invitations.bistro.requests.length];
        const token = await signIn(hana);
        const responseWithoutIds = await invitations.platform.call("POST", "/portal/suggestions/search", {
          token,
          json: {},
        });
        for (const response of [await search(token, organisationIds), responseWithoutIds])
          expect(response.json()).toMatchObject({ status: 400, code: "invalid_request" });
        expect([invitations.harbour.requests.length, invitations.bistro.requests.length]).toEqual(before);
      },
    );

    test("a search of organisations that are unknown or do not implement suggestions gets 422 with their indexes [D-88]", async () => {
      const before = invitations.harbour.requests.length;
      const response = await search(await signIn(hana), ["org_harbour", "org_crew", "org_nowhere"]);
      expect(response.json()).toMatchObject({
        status: 422,
        code: "organisation_not_suggesting",
        errors: { "organisationIds[1]": [expect.any(String)], "organisationIds[2]": [expect.any(String)] },
      });
      expect(invitations.harbour.requests).toHaveLength(before);
    });

    test("the organisations to search are listed with the person's own organisation first [D-88]", async () => {
      const listOrganisations = async (emailAddress: string) =>
        (
          await invitations.platform.call("GET", "/portal/suggestions/organisations", {
            token: await signIn(emailAddress),
          })
        ).json();
      const [bistro, harbour] = [
        { id: "org_bistro", name: "Bistro Group" },
        { id: "org_harbour", name: "Harbour Hotels" },
      ];
      expect(await listOrganisations(hana)).toEqual({
        organisations: [
          { ...harbour, isOwn: true },
          { ...bistro, isOwn: false },
        ],
      });
      expect(await listOrganisations(bo)).toEqual({
        organisations: [
          { ...bistro, isOwn: true },
          { ...harbour, isOwn: false },
        ],
      });
      expect(await listOrganisations(ada)).toEqual({
        organisations: [
          { ...bistro, isOwn: false },
          { ...harbour, isOwn: false },
        ],
      });
    });
  });
});
