import { describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { openLiveReader } from "../pages/read-live.ts";
import { usePlatform } from "../support/use-opened.ts";

const platform = usePlatform({ settings: { trustedProxies: 1 } });

const oldPassword = "demo-password";
const newPassword = "correct horse battery";
const accounts = [
  { home: "/portal", field: "emailAddress", name: "hana@harbour-hotels.example", read: "/portal/profile" },
  { home: "/worker-app", field: "workerId", name: "worker_amal", read: "/worker-app/devices" },
] as const;
const pages = [
  { path: "/account", signInPath: "/sign-in", name: "bo@bistro-group.example" },
  { path: "/app/account", signInPath: "/app/sign-in", name: "worker_ben" },
] as const;

type Account = (typeof accounts)[number];

const signIn = ({ home, field, name }: Account, password: string, address = "192.0.2.1") =>
  platform.call("POST", `${home}/session`, {
    headers: { "X-Forwarded-For": address },
    json: { [field]: name, password },
  });
const openSession = async (account: Account, password: string): Promise<string> =>
  (await signIn(account, password)).json<{ token: string }>().token;
const change = ({ home }: Account, token: string, json: unknown) =>
  platform.call("PUT", `${home}/password`, { token, json });

describe.each(accounts)("an account at $home", (account) => {
  const isSignedIn = async (token: string) => (await platform.call("GET", account.read, { token })).status === 200;

  test("a user changes the password, which ends all other sessions but not this one [D-162]", async () => {
    const here = await openSession(account, oldPassword);
    const elsewhere = await openSession(account, oldPassword);
    const json = { currentPassword: oldPassword, newPassword };
    expect((await change(account, here, json)).status).toBe(204);
    expect([await isSignedIn(here), await isSignedIn(elsewhere)]).toEqual([true, false]);
    expect((await signIn(account, oldPassword)).status).toBe(401);
    const back = { currentPassword: newPassword, newPassword: oldPassword };
    expect((await change(account, here, back)).status).toBe(204);
  });

  test("without the current password, nothing changes, and wrong ones are counted [D-162]", async () => {
    const token = await openSession(account, oldPassword);
    const wrong = { currentPassword: "wrong", newPassword };
    for (let count = 0; count < 10; count += 1) {
      const response = await change(account, token, wrong);
      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({ errors: { currentPassword: [expect.any(String)] } });
    }
    const right = { currentPassword: oldPassword, newPassword };
    expect((await change(account, token, right)).json()).toMatchObject({ status: 429, code: "too_many_sign_ins" });
    // The failures count only for this session, so they lock nobody out.
    const other = await openSession(account, oldPassword);
    expect((await change(account, other, { ...right, newPassword: "short" })).status).toBe(400);
    expect(await isSignedIn(token)).toBe(true);
  });

  test("a sign-in that began before the change does not survive it [D-162]", async () => {
    const here = await openSession(account, oldPassword);
    const attempts = Array.from({ length: 8 }, (_, index) => signIn(account, oldPassword, `192.0.2.${index + 10}`));
    const changed = await change(account, here, { currentPassword: oldPassword, newPassword });
    expect(changed.status).toBe(204);
    for (const { status, json } of await Promise.all(attempts))
      if (status === 201) expect(await isSignedIn(json<{ token: string }>().token)).toBe(false);
    await change(account, here, { currentPassword: newPassword, newPassword: oldPassword });
  });

  test("a user signs out everywhere [D-162]", async () => {
    const tokens = [await openSession(account, oldPassword), await openSession(account, oldPassword)];
    const signOut = () => platform.call("DELETE", `${account.home}/sessions`, { token: tokens[0] ?? "" });
    expect((await signOut()).status).toBe(204);
    for (const token of tokens) expect(await isSignedIn(token)).toBe(false);
    expect((await signOut()).status).toBe(401);
  });
});

describe.each(pages)("the account page $path", ({ path, signInPath, name }) => {
  const openPage = async () => {
    const client = openPageClient(platform.address, signInPath);
    await client.signIn(name);
    return client;
  };

  test("a user changes the password on a page that never repeats it [D-162]", async () => {
    const here = await openPage();
    const elsewhere = await openPage();
    const rejected = await here.send(path, { currentPassword: "wrong-but-secret", newPassword: "short" });
    expect(rejected.status).toBe(422);
    const wrong = await here.send(path, { currentPassword: "wrong-but-secret", newPassword });
    expect(wrong.status).toBe(422);
    expect(wrong.text).toContain("Enter your current password.");
    expect(rejected.text + wrong.text).not.toMatch(/wrong-but-secret|correct horse|value="short"/);
    const fields = { currentPassword: oldPassword, newPassword };
    expect(await here.send(path, fields)).toMatchObject({ status: 303, location: path });
    expect((await here.get(path)).text).toContain("Your password was changed.");
    expect(await elsewhere.get(path)).toMatchObject({ status: 303 });
    const ended = await elsewhere.send(path, fields);
    expect(ended.status).toBe(401);
    expect(ended.text).not.toContain(newPassword);
    await here.send(path, { currentPassword: newPassword, newPassword: oldPassword });
  });

  test("a user signs out everywhere, which ends event streams too [D-162]", async () => {
    const here = await openPage();
    const elsewhere = await openPage();
    const livePath = /data-live-stream="([^"]+)"/.exec((await elsewhere.get(path)).text)?.[1] ?? "";
    const stream = await openLiveReader(platform.address + livePath, elsewhere.cookie());
    expect((await here.get(path)).text).toContain(`action="${path}/sign-out"`);
    expect(await here.send(`${path}/sign-out`)).toMatchObject({ status: 303, location: signInPath });
    expect((await here.get(signInPath)).text).toContain("You have been signed out everywhere.");
    for (const client of [here, elsewhere]) expect(await client.get(path)).toMatchObject({ status: 303 });
    await stream.ended;
  });
});
