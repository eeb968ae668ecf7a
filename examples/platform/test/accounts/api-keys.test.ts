import { describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

describe("API keys", () => {
  const platform = usePlatform();
  const hana = usePageClient(platform, "hana@harbour-hotels.example");

  const keyIn = (text: string): string => /id="new-key">([^<]+)</.exec(text)?.[1] ?? "";
  const rowOf = (text: string, name: string): string => text.split("<tr").find((part) => part.includes(name)) ?? "";
  const create = async (name: string): Promise<string> => {
    const { status, text } = await hana.send("/api-keys", { name });
    expect(status).toBe(200);
    return keyIn(text);
  };
  const use = async (key: string): Promise<number> =>
    (await platform.call("GET", "/offer/offer_unknown", { key })).status;

  test("are shown once, work immediately, and are stored as hashes [D-119]", async () => {
    const key = await create("Rota planner");
    expect(key).toMatch(/^ok_[\w-]{43}$/);
    const listed = (await hana.get("/api-keys")).text;
    expect(listed).not.toContain(key);
    expect(rowOf(listed, "Rota planner")).toContain("Never");
    expect(await use(key)).toBe(404);
    expect(rowOf((await hana.get("/api-keys")).text, "Rota planner")).not.toContain("Never");
  });

  test("get 401 on the first request after they are revoked [D-119] [D-132]", async () => {
    const key = await create("Old system");
    expect(await use(key)).toBe(404);
    const path = /href="([^"]+\/revoke)"/.exec(rowOf((await hana.get("/api-keys")).text, "Old system"))?.[1] ?? "";
    const question = await hana.get(path);
    expect(question.text).toContain("<h1>Revoke Old system?</h1>");
    expect(question.text).toContain("every program that sends this key gets 401");
    expect(question.text).not.toContain(key);
    expect(await use(key)).toBe(404);
    expect((await hana.send(path)).status).toBe(303);
    expect(await use(key)).toBe(401);
    expect((await hana.send(path)).status).toBe(404);
  });

  test("are listed by name, prefix and last four characters, including those of the seed file [D-119]", async () => {
    const key = await create("Payroll");
    const { text } = await hana.get("/api-keys");
    expect(rowOf(text, "Payroll")).toContain(`<code>${key.slice(0, 7)}…${key.slice(-4)}</code>`);
    expect(rowOf(text, "Rota system")).toContain("<code>…bour</code>");
    expect(rowOf(text, "Crew Agency")).toContain("<code>…bour</code>");
    expect(text).not.toContain("demo-key");
    expect(text).not.toContain("From the seed file");
  });

  test("are revoked after a confirmation page that others cannot open", async () => {
    const path = /href="([^"]+\/revoke)"/.exec((await hana.get("/api-keys")).text)?.[1] ?? "";
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect((await bo.get(path)).status).toBe(404);
  });

  test("are created once when the form is submitted twice [D-119]", async () => {
    const fields = { name: "Twice", idempotencyKey: "the same" };
    expect(keyIn((await hana.send("/api-keys", fields)).text)).not.toBe("");
    expect(await hana.send("/api-keys", fields)).toMatchObject({ status: 303, location: "/api-keys" });
    expect((await hana.get("/api-keys")).text.split("Revoke Twice")).toHaveLength(2);
  });

  test("need a visible name", async () => {
    const { status, text } = await hana.send("/api-keys", { name: "\u200b" });
    expect(status).toBe(422);
    expect(text).toContain("Use at least one visible character.");
  });
});
