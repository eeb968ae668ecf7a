import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Context } from "../context.ts";

interface ProfileResponse {
  code: string;
  checks: { path: string; status?: number; reason?: string }[];
}

/** Shows that a base URL is saved only if both checks return exactly 200. */
export async function showCompanyProfile({ reporter, hana, bo, profile, webhooks }: Context): Promise<void> {
  reporter.scenario("The company profile");

  await reporter.step("Hana signs in to the portal", async () => {
    await signIn(hana, "hana@harbour-hotels.example");
  });
  await reporter.step("a base URL that responds with 404 is not saved, and the portal shows the reason", async () => {
    const wrongUrl = new URL("/wrong-path", profile.baseAddress).href;
    const { status, body } = await saveProfile(hana, { ...profile, baseAddress: wrongUrl });
    assert.equal(status, 422);
    assert.equal(body.checks.find(({ path }) => path.endsWith("/test"))?.status, 404);
    await assertNothingSaved(hana);
  });
  await reporter.step("a secret with a typo is not saved either", async () => {
    const { status, body } = await saveProfile(hana, { ...profile, secret: `${profile.secret}x` });
    assert.equal(status, 422);
    assert.equal(body.checks.find(({ path }) => path.endsWith("/test/auth"))?.status, 401);
    await assertNothingSaved(hana);
  });
  await reporter.step("the profile is saved once both checks return 200", async () => {
    const { status } = await saveProfile(hana, profile);
    assert.equal(status, 200);
    const { body } = await hana.call<{ baseAddress: string; secret?: string }>("GET", "/portal/profile");
    assert.equal(body.baseAddress, profile.baseAddress);
    assert.ok(!JSON.stringify(body).includes(profile.secret), "the secret is never shown again");
  });
  await reporter.step("the check is signed with the SHA-256 digest of the timestamp and the secret", async () => {
    const { timestamp, authorization } = webhooks.lastHeaders;
    const digest = createHash("sha256").update(`${timestamp}${profile.secret}`).digest("hex");
    assert.equal(authorization?.toLowerCase(), `hmac ${digest}`);
  });
  await reporter.step("Bo from another organisation signs in and does not see the profile", async () => {
    await signIn(bo, "bo@bistro-group.example");
    await assertNothingSaved(bo);
  });
}

async function signIn(person: Context["hana"], emailAddress: string): Promise<void> {
  const { status, body } = await person.call<{ token: string }>("POST", "/portal/session", {
    body: { emailAddress, password: "demo-password" },
  });
  assert.equal(status, 201);
  person.setToken(body.token);
}

const saveProfile = (person: Context["hana"], profile: Context["profile"]) =>
  person.call<ProfileResponse>("PUT", "/portal/profile", { body: { ...profile, suggestsContacts: true } });

async function assertNothingSaved(person: Context["hana"]): Promise<void> {
  const { body } = await person.call<{ baseAddress: string | null }>("GET", "/portal/profile");
  assert.equal(body.baseAddress, null);
}
