import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Stage } from "../stage.ts";

interface Refusal {
  code: string;
  checks: { path: string; status?: number; reason?: string }[];
}

/** A base address is saved only when both tests answer exactly 200. */
export async function companyProfile({ narrator, hana, bo, profile, webhooks }: Stage): Promise<void> {
  narrator.chapter("The company profile");

  await narrator.step("Hana signs in to the portal", async () => {
    await signIn(hana, "hana@harbour-hotels.example");
  });
  await narrator.step("a base address that answers 404 is not saved, and she is told why", async () => {
    const wrong = new URL("/nobody-here", profile.baseAddress).href;
    const { status, body } = await put(hana, { ...profile, baseAddress: wrong });
    assert.equal(status, 422);
    assert.equal(body.checks.find(({ path }) => path.endsWith("/test"))?.status, 404);
    await assertNothingSaved(hana);
  });
  await narrator.step("a secret with a typing mistake is not saved either", async () => {
    const { status, body } = await put(hana, { ...profile, secret: `${profile.secret}x` });
    assert.equal(status, 422);
    assert.equal(body.checks.find(({ path }) => path.endsWith("/test/auth"))?.status, 401);
    await assertNothingSaved(hana);
  });
  await narrator.step("with both tests answered 200 the profile is saved", async () => {
    const { status } = await put(hana, profile);
    assert.equal(status, 200);
    const { body } = await hana.call<{ baseAddress: string; secret?: string }>("GET", "/portal/profile");
    assert.equal(body.baseAddress, profile.baseAddress);
    assert.ok(!JSON.stringify(body).includes(profile.secret), "the secret is never shown again");
  });
  await narrator.step("the test was signed with the timestamp and the secret, as any tool would sign it", async () => {
    const { timestamp, authorization } = webhooks.lastHeaders;
    const digest = createHash("sha256").update(`${timestamp}${profile.secret}`).digest("hex");
    assert.equal(authorization?.toLowerCase(), `hmac ${digest}`);
  });
  await narrator.step("Bo of another organisation signs in, and sees nothing of it", async () => {
    await signIn(bo, "bo@bistro-group.example");
    await assertNothingSaved(bo);
  });
}

async function signIn(person: Stage["hana"], emailAddress: string): Promise<void> {
  const { status, body } = await person.call<{ token: string }>("POST", "/portal/session", {
    body: { emailAddress, password: "demo-password" },
  });
  assert.equal(status, 201);
  person.signIn(body.token);
}

const put = (person: Stage["hana"], profile: Stage["profile"]) =>
  person.call<Refusal>("PUT", "/portal/profile", { body: { ...profile, suggestsContacts: true } });

async function assertNothingSaved(person: Stage["hana"]): Promise<void> {
  const { body } = await person.call<{ baseAddress: string | null }>("GET", "/portal/profile");
  assert.equal(body.baseAddress, null);
}
