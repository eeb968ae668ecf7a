import { describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

describe("API keys", () => {
  const platform = usePlatform();
  const hana = usePageClient(platform, "hana@harbour-hotels.example");

  const findNewKey = (text: string): string => /id="new-key">([^<]+)</.exec(text)?.[1] ?? "";
  const findRow = (text: string, name: string): string => text.split("<tr").find((row) => row.includes(name)) ?? "";
  const createKey = async (name: string): Promise<string> => {
    const { status, text } = await hana.send("/api-keys", { name });
    expect(status).toBe(200);
    return findNewKey(text);
  };
  const callWithKey = async (key: string): Promise<number> =>
    (await platform.call("GET", "/offer/offer_unknown", { key })).status;

  test("an API key is shown once, works immediately, and is listed with its last use [D-119]", async () => {
    const key = await createKey("Rota planner");
    expect(key).toMatch(/^ok_[\w-]{43}$/);
    const listPage = (await hana.get("/api-keys")).text;
    expect(listPage).not.toContain(key);
    expect(findRow(listPage, "Rota planner")).toContain("Never");
    expect(await callWithKey(key)).toBe(404);
    expect(findRow((await hana.get("/api-keys")).text, "Rota planner")).not.toContain("Never");
  });

  test("a revoked API key gets 401 on the next request [D-119] [D-132]", async () => {
    const key = await createKey("Old system");
    expect(await callWithKey(key)).toBe(404);
    const path = /href="([^"]+\/revoke)"/.exec(findRow((await hana.get("/api-keys")).text, "Old system"))?.[1] ?? "";
    const confirmationPage = await hana.get(path);
    expect(confirmationPage.text).toContain("<h1>Revoke Old system?</h1>");
    expect(confirmationPage.text).toContain("Programs that send this key will get 401 immediately.");
    expect(confirmationPage.text).not.toContain(key);
    expect(await callWithKey(key)).toBe(404);
    expect((await hana.send(path)).status).toBe(303);
    expect(await callWithKey(key)).toBe(401);
    expect((await hana.send(path)).status).toBe(404);
  });

  test("API keys are listed by name, prefix and last four characters, including the keys from the seed file [D-119]", async () => {
    const key = await createKey("Payroll");
    const { text } = await hana.get("/api-keys");
    expect(findRow(text, "Payroll")).toContain(`<code>${key.slice(0, 7)}…${key.slice(-4)}</code>`);
    expect(findRow(text, "Rota system")).toContain("<code>…bour</code>");
    expect(findRow(text, "Crew Agency")).toContain("<code>…bour</code>");
    expect(text).not.toContain("demo-key");
    expect(text).not.toContain("From the seed file");
  });

  test("the page that confirms revoking an API key cannot be opened by another organisation", async () => {
    const path = /href="([^"]+\/revoke)"/.exec((await hana.get("/api-keys")).text)?.[1] ?? "";
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    expect((await bo.get(path)).status).toBe(404);
  });

  test("submitting the form twice creates one API key [D-119]", async () => {
    const fields = { name: "Twice", idempotencyKey: "the same" };
    expect(findNewKey((await hana.send("/api-keys", fields)).text)).not.toBe("");
    expect(await hana.send("/api-keys", fields)).toMatchObject({ status: 303, location: "/api-keys" });
    expect((await hana.get("/api-keys")).text.split("Revoke Twice")).toHaveLength(2);
  });

  test("an API key name without a visible character is rejected", async () => {
    const { status, text } = await hana.send("/api-keys", { name: "\u200b" });
    expect(status).toBe(422);
    expect(text).toContain("Use at least one visible character.");
  });
});
