import assert from "node:assert/strict";
import type { Context } from "../context.ts";
import { eventually } from "../eventually.ts";
import { readRoster } from "./shift.ts";

interface SearchResult {
  organisation: { id: string; name: string };
  suggestions?: { name: string; emailAddress: string }[];
  failure?: { code: string; message: string };
}

/** Shows how a worker shares their availability, and how a hirer searches for people and invites one of them. */
export async function showContacts({ reporter, hana, bo, amal, integrator, webhooks }: Context): Promise<void> {
  reporter.scenario("Contacts and invitations");

  await reporter.step("Amal adds Harbour Hotels as a contact, and its integrator receives the webhook", async () => {
    assert.equal(await amal.addContact("org_harbour"), 204);
    await eventually("the webhook about Amal's contact", async () => {
      const { sharedWith } = await readRoster(integrator);
      return sharedWith.includes("worker_amal");
    });
  });
  await reporter.step("Hana searches for people to invite; the search sends both of her email addresses", async () => {
    const [harbour] = await searchPeople(hana);
    assert.deepEqual(harbour?.suggestions?.map(({ name }) => name).sort(), ["Dana Kim", "Farah Aziz", "Émile Dupont"]);
  });
  const dana = await reporter.step("she narrows the search to chefs", async () => {
    const [harbour] = await searchPeople(hana, "chef");
    assert.deepEqual(harbour?.suggestions?.map(({ name }) => name).sort(), ["Dana Kim", "Émile Dupont"]);
    const suggestion = harbour?.suggestions?.find(({ name }) => name === "Dana Kim");
    assert.ok(suggestion);
    return suggestion;
  });
  await reporter.step("Bo, whose email addresses the organisation does not know, gets no suggestions", async () => {
    const [harbour] = await searchPeople(bo);
    assert.deepEqual(harbour?.suggestions, []);
  });
  await reporter.step("Hana selects Dana and invites her", async () => {
    const { name, emailAddress } = dana;
    const { status } = await hana.call("POST", "/portal/invitations", {
      body: { organisationId: "org_harbour", people: [{ name, emailAddress }] },
    });
    assert.equal(status, 201);
    const { body } = await hana.call<{ invitations: { emailAddress: string }[] }>("GET", "/portal/invitations");
    assert.deepEqual(
      body.invitations.map((invitation) => invitation.emailAddress),
      [emailAddress],
    );
  });
  await reporter.step("while the integrator responds with 500, the search shows a failure", async () => {
    webhooks.failWith("status 500");
    const [harbour] = await searchPeople(hana);
    webhooks.failWith(undefined);
    assert.equal(harbour?.suggestions, undefined);
    assert.ok(harbour?.failure?.message);
  });
}

async function searchPeople(person: Context["hana"], filter?: string): Promise<SearchResult[]> {
  const { status, body } = await person.call<{ results: SearchResult[] }>("POST", "/portal/suggestions/search", {
    body: { organisationIds: ["org_harbour"], ...(filter !== undefined && { filter }) },
  });
  assert.equal(status, 200);
  return body.results;
}
