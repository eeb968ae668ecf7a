import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import type { Stage } from "../stage.ts";
import { readRoster } from "./shift.ts";

interface Found {
  organisation: { id: string; name: string };
  suggestions?: { name: string; emailAddress: string }[];
  failure?: { code: string; message: string };
}

/** A worker shares availability; a hirer finds people to invite. */
export async function contacts({ narrator, hana, bo, amal, integrator, webhooks }: Stage): Promise<void> {
  narrator.chapter("Contacts and invitations");

  await narrator.step("Amal adds a contact at Harbour Hotels, which is told", async () => {
    assert.equal(await amal.addContact("org_harbour"), 204);
    await eventually("the webhook about Amal's contact", async () => {
      const { sharedWith } = await readRoster(integrator);
      return sharedWith.includes("worker_amal") || undefined;
    });
  });
  await narrator.step("Hana searches for people to invite: both of her addresses are asked about", async () => {
    const [harbour] = await search(hana);
    assert.deepEqual(harbour?.suggestions?.map(({ name }) => name).sort(), ["Dana Kim", "Farah Aziz", "Émile Dupont"]);
  });
  const dana = await narrator.step("she narrows the search to chefs", async () => {
    const [harbour] = await search(hana, "chef");
    assert.deepEqual(harbour?.suggestions?.map(({ name }) => name).sort(), ["Dana Kim", "Émile Dupont"]);
    const found = harbour?.suggestions?.find(({ name }) => name === "Dana Kim");
    assert.ok(found);
    return found;
  });
  await narrator.step("Bo, whose addresses the organisation does not know, finds nobody", async () => {
    const [harbour] = await search(bo);
    assert.deepEqual(harbour?.suggestions, []);
  });
  await narrator.step("Hana picks Dana and invites her", async () => {
    const { name, emailAddress } = dana;
    const invited = await hana.call("POST", "/portal/invitations", {
      body: { organisationId: "org_harbour", people: [{ name, emailAddress }] },
    });
    assert.equal(invited.status, 201);
    const { body } = await hana.call<{ invitations: { emailAddress: string }[] }>("GET", "/portal/invitations");
    assert.deepEqual(
      body.invitations.map((invitation) => invitation.emailAddress),
      [emailAddress],
    );
  });
  await narrator.step("while the organisation answers 500, the search says so", async () => {
    webhooks.trouble("answers 500");
    const [harbour] = await search(hana);
    webhooks.trouble(undefined);
    assert.equal(harbour?.suggestions, undefined);
    assert.ok(harbour?.failure?.message);
  });
}

async function search(person: Stage["hana"], filter?: string): Promise<Found[]> {
  const { status, body } = await person.call<{ results: Found[] }>("POST", "/portal/suggestions/search", {
    body: { organisationIds: ["org_harbour"], ...(filter !== undefined && { filter }) },
  });
  assert.equal(status, 200);
  return body.results;
}
