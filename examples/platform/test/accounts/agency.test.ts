import { beforeAll, describe, expect, test } from "vitest";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { usePlatform } from "../support/use-opened.ts";

const key = "demo-key-harbour";

describe("people in agencies", async () => {
  const platform = usePlatform();
  let ada: PageClient;
  beforeAll(async () => {
    ada = await openSignedInClient("ada@crew-agency.example");
  });

  async function openSignedInClient(name: string): Promise<PageClient> {
    const client = openPageClient(platform.address);
    await client.signIn(name);
    return client;
  }
  /** Creates an offer to Amal, and applies as Amal. @returns the offer id */
  async function createAndApply(title: string): Promise<string> {
    const json = { createdByUserId: "user_hana", title, workerIds: ["worker_amal"] };
    const { id } = (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>();
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token });
    return id;
  }
  const readOffer = async (id: string) => (await platform.call("GET", `/offer/${id}`, { key })).json();

  test("a person in an agency sees, completes and withdraws the offers of its client organisation [D-117]", async () => {
    const id = await createAndApply("Bar on Friday");
    const { text } = await ada.get("/offers");
    expect(text).toContain("Bar on Friday");
    expect(text).toContain("Harbour Hotels");
    expect((await ada.get(`/offers/${id}`)).text).toContain("Amal Haddad");
    expect((await ada.send(`/offers/${id}/complete`, { worker: "worker_amal", confirmed: "yes" })).status).toBe(303);
    expect(await readOffer(id)).toMatchObject({ complete: true });
    expect((await ada.send(`/offers/${id}/withdraw`)).status).toBe(303);
    expect(await readOffer(id)).toMatchObject({ widthdrawn: true });
  });

  test("a person in an agency creates an offer for its client organisation [D-117]", async () => {
    const fields = { title: "Created by Ada", worker: "worker_ben", organisationId: "org_harbour", act: "create" };
    const { location } = await ada.send("/offers/new", fields);
    const id = location?.split("/").at(-1) ?? "";
    expect(await readOffer(id)).toMatchObject({ title: "Created by Ada" });
    expect((await (await openSignedInClient("hana@harbour-hotels.example")).get(`/offers/${id}`)).text).toContain(
      "Ada Stone",
    );
  });

  test("a person in an agency cannot create an offer for an organisation that the agency does not act for", async () => {
    const fields = { title: "Of the agency", worker: "worker_ben", organisationId: "org_bistro", act: "create" };
    await ada.send("/offers/new", fields);
    expect((await (await openSignedInClient("bo@bistro-group.example")).get("/offers")).text).not.toContain(
      "Of the agency",
    );
  });

  test("a person in an agency cannot see its client's deliveries, keys or invitations", async () => {
    for (const path of ["/deliveries", "/api-keys", "/invitations", "/company"])
      expect((await ada.get(path)).text).not.toMatch(/Bar on Friday|Harbour Hotels/);
  });

  // This runs last, because it revokes the agency's key.
  test("people in an agency lose access when the client revokes its key [D-117]", async () => {
    const id = await createAndApply("Kitchen on Sunday");
    const hana = await openSignedInClient("hana@harbour-hotels.example");
    const { text } = await hana.get("/api-keys");
    const agencyRow = text.split("<tr").find((row) => row.includes("Crew Agency")) ?? "";
    const path = /href="([^"]+\/revoke)"/.exec(agencyRow)?.[1] ?? "";
    expect((await hana.send(path)).status).toBe(303);
    expect((await ada.get("/offers")).text).not.toContain("Kitchen on Sunday");
    expect((await ada.get(`/offers/${id}`)).status).toBe(404);
    expect((await ada.send(`/offers/${id}/complete`, { worker: "worker_amal", confirmed: "yes" })).status).toBe(404);
  });
});
