import { beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";
import { companySecret, openPageClient, saveCompany } from "./page-client.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver();

beforeEach(() => {
  receiver.respond = respondWith(200);
});

const save = (changes?: Record<string, string>) => saveCompany(hana, receiver, changes);

describe("the company profile", () => {
  test("saving the company profile shows the responses and durations of both checks", async () => {
    const { status, text } = await save({ suggestsContacts: "yes" });
    expect(status).toBe(200);
    expect(text).toContain("Both checks returned 200. The profile is saved.");
    for (const path of ["/test", "/test/auth"]) expect(text).toContain(`GET ${path} <span`);
    expect(text.match(/responded with 200\. <span class="fine">\d+ ms/g)).toHaveLength(2);
    expect(text).toMatch(/Request.*authorization: .*Response.*200/is);
    const page = (await hana.get("/company")).text;
    expect(page).toContain(`value="${receiver.baseAddress}/hooks"`);
    expect(page).toMatch(/name="suggestsContacts" value="yes" checked/);
    expect(page).toContain(">Healthy</span>");
  });

  test("a profile whose check fails is not saved, and its form keeps all input except the secret [D-83]", async () => {
    await save();
    receiver.respond = (request, response) => respondWith(request.url.endsWith("/auth") ? 401 : 200)(request, response);
    const { status, text } = await save({ baseAddress: `${receiver.baseAddress}/elsewhere` });
    expect(status).toBe(422);
    expect(text).toContain("Nothing was changed. Your endpoint must respond to both checks with 200.");
    expect(text).toContain("the endpoint does not accept the secret");
    expect(text).toContain(`value="${receiver.baseAddress}/elsewhere"`);
    expect(text).not.toContain(companySecret);
    expect((await hana.get("/company")).text).toContain(`<dd>${receiver.baseAddress}/hooks</dd>`);
  });

  test("the company profile shows errors next to their fields", async () => {
    const { status, text } = await save({ secret: "short", baseAddress: "" });
    expect(status).toBe(422);
    expect(text).toMatch(/id="secret-error".*at least 16 characters/);
    expect(text).toContain('id="baseAddress-error"');
  });

  test("the company profile's secret is never shown or logged", async () => {
    await save();
    expect((await hana.get("/company")).text).not.toContain(companySecret);
    expect(platform.logLines.join()).not.toContain(companySecret);
  });

  test("a secret can be rotated only to a new one that the endpoint accepts", async () => {
    await save();
    receiver.respond = respondWith(401);
    const rejected = await hana.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([rejected.status, rejected.text.includes("Nothing was changed.")]).toEqual([422, true]);
    receiver.respond = respondWith(200);
    const same = await hana.send("/company/rotation", { secret: companySecret });
    expect(same.status).toBe(422);
    expect(same.text).toMatch(/id="new-secret-error".*This is the current one/);
    const rotated = await hana.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([rotated.status, rotated.text.includes("The new secret is in use.")]).toEqual([200, true]);
    const page = (await hana.get("/company")).text;
    expect(page).toContain("valid until");
    expect(page).not.toContain("another-secret");
    expect(await hana.get("/company/rotation")).toMatchObject({ status: 303, location: "/company" });
  });

  test("a secret cannot be rotated before a secret is saved", async () => {
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect((await bo.get("/company")).text).not.toContain('action="/company/rotation"');
    const rejected = await bo.send("/company/rotation", { secret: "another-secret-of-32-characters!" });
    expect([rejected.status, rejected.text.includes("Save a base URL and a secret")]).toEqual([422, true]);
    expect((await bo.send("/company/enable")).status).toBe(422);
  });

  test("an endpoint that responded with 410 is shown as disabled, and can be enabled once its checks pass", async () => {
    await save();
    receiver.respond = respondWith(410);
    const token = await platform.signInWorker("worker_amal");
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    await platform.call("POST", `/worker-app/offers/${created.json<{ id: string }>().id}/apply`, { token });
    await eventually("the endpoint is disabled", async () =>
      (await hana.get("/company")).text.includes(">Disabled</span>"),
    );
    const page = (await hana.get("/company")).text;
    expect(page).toContain("It responded with 410 Gone");
    expect(page).toContain("docs/guides/after-an-outage.md");
    const heldDeliveriesPage = (await hana.get("/deliveries?state=held")).text;
    expect(heldDeliveriesPage).toContain(">Held</span>");
    expect((await hana.send("/company/enable")).status).toBe(422);
    receiver.respond = respondWith(200);
    const enabled = await hana.send("/company/enable");
    expect([enabled.status, enabled.text.includes("The endpoint is enabled.")]).toEqual([200, true]);
    await eventually("the endpoint is healthy", async () =>
      (await hana.get("/company")).text.includes(">Healthy</span>"),
    );
  });
});
