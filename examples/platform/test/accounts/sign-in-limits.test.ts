import { expect, test } from "vitest";
import { usePlatform } from "../support/use-opened.ts";

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
