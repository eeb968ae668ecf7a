import { describe, expect, test } from "vitest";
import { limitPasswords } from "../../src/accounts/passwords.ts";
import { limitInStore } from "../../src/accounts/rate-limits.ts";
import { openStore } from "../../src/store/open-store.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { openTcpProxy } from "../support/tcp-proxy.ts";
import { useDatabase, usePlatform, useStore } from "../support/use-opened.ts";

const platform = usePlatform({ settings: { trustedProxies: 1 } });

const signIn = async (emailAddress: string, password: string, address = "192.0.2.1") => {
  const { status, headers, json } = await platform.call("POST", "/portal/session", {
    headers: { "X-Forwarded-For": address },
    json: { emailAddress, password },
  });
  const { instance: _, ...body } = json<Record<string, unknown>>();
  return { status, body, retryAfter: headers.get("retry-after"), challenge: headers.get("www-authenticate") };
};

test("wrong passwords count for the account, whichever of its email addresses they are for [D-55]", async () => {
  const names = ["hana@harbour-hotels.example", "Hana.Lind@harbour-hotels.example"];
  for (let count = 0; count < 10; count += 1)
    expect(await signIn(names[count % 2] ?? "", "wrong")).toMatchObject({ status: 401 });
  for (const name of names) expect(await signIn(name, "demo-password")).toMatchObject({ status: 429 });
  expect(await signIn(names[1] ?? "", "demo-password", "192.0.2.2")).toMatchObject({ status: 201 });
});

test("an unknown name gets the same responses as a known one, until and after it is locked [D-55]", async () => {
  const guess = async (name: string, address: string) => {
    const responses = [];
    for (let count = 0; count < 11; count += 1) responses.push(await signIn(name, "wrong", address));
    return responses.map((response) => ({ ...response, retryAfter: response.retryAfter !== null }));
  };
  const known = await guess("bo@bistro-group.example", "192.0.2.3");
  expect(known.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
  expect(await guess("nobody@bistro-group.example", "192.0.2.4")).toEqual(known);
});

describe.each((await storesUnderTest()).slice(1))("several processes on $title", ({ createDatabase }) => {
  const database = useDatabase(createDatabase);
  const settings = { rateLimit: { count: 600, seconds: 60 }, trustedProxies: 1 };
  const processes = [1, 2].map(() => usePlatform({ database, settings }));
  /** Sends requests to the processes in turn. @returns how many are accepted before each process rejects one */
  const countAccepted = async (send: (process: (typeof processes)[number]) => Promise<number>): Promise<number> => {
    const accepted = [];
    for (const process of Array(200).fill(processes).flat()) {
      const status = await send(process);
      if (status !== 429) accepted.push(status);
    }
    return accepted.length;
  };
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const post = async (process: (typeof processes)[number], address: string, emailAddress: string) => {
    const json = { emailAddress, password: "wrong" };
    return (await process.call("POST", "/portal/session", { headers: from(address), json })).status;
  };

  test("all processes together allow ten wrong passwords for an account from one network [D-159]", async () => {
    expect(await countAccepted((process) => post(process, "192.0.2.1", "hana@harbour-hotels.example"))).toBe(10);
  });

  test("all processes together allow a hundred wrong passwords for an account from all networks [D-159]", async () => {
    let host = 0;
    const send = (process: (typeof processes)[number]) =>
      post(process, `198.51.100.${host++ % 250}`, "bo@bistro-group.example");
    expect(await countAccepted(send)).toBe(100);
  });

  test("all processes together allow sixty invalid keys from one network [D-159]", async () => {
    const options = { key: "wrong", headers: from("192.0.2.2") };
    expect(await countAccepted(async (process) => (await process.call("GET", "/offer/none", options)).status)).toBe(60);
  });

  test("no password is checked while attempts cannot be counted [D-159]", async () => {
    const url = new URL(database.options.databaseUrl ?? "");
    const proxy = await openTcpProxy(`http://${url.host}`);
    url.host = new URL(proxy.address).host;
    const store = await openStore({ ...database.options, databaseUrl: url.href });
    const checked: string[] = [];
    const verify = async (password: string) => checked.push(password) > 0;
    const { verify: limited } = limitPasswords({ hash: async () => "", verify }, limitInStore(store));
    const attempt = { account: "ann", address: "192.0.2.3" };
    expect(await limited(attempt, "before", undefined)).toBe(true);
    await proxy.close();
    await expect(limited(attempt, "after", undefined)).rejects.toMatchObject({ name: "StoreError" });
    expect(checked).toEqual(["before"]);
    await store.close();
  });
});

describe("a network that has reached a limit", () => {
  const store = useStore();

  test("is rejected without a statement until the window ends [D-159]", async () => {
    let statementCount = 0;
    const executeQuery: typeof store.db.executeQuery = (query) => {
      statementCount += 1;
      return store.db.executeQuery(query);
    };
    const limiter = limitInStore({ db: { executeQuery } as typeof store.db })("test", { count: 3, seconds: 60 });
    for (let count = 0; count < 3; count += 1) await limiter.consume("192.0.2.1");
    for (let count = 0; count < 10; count += 1) await expect(limiter.consume("192.0.2.1")).rejects.toBeDefined();
    // The fourth request is counted in the store, since another process may have used up the limit.
    expect(statementCount).toBe(4);
    await limiter.consume("192.0.2.2");
  });
});
