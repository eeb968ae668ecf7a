import { beforeEach, describe, expect, test } from "vitest";
import { usePlatform } from "../support/use-opened.ts";
import { openPageClient, type PageClient } from "./page-client.ts";
import { openLiveReader } from "./read-live.ts";

const hour = 60 * 60 * 1_000;
const day = 24 * hour;
const hanaAddress = "hana@harbour-hotels.example";
let clockOffsetMs = 0;
const platform = usePlatform({ now: () => new Date(Date.now() + clockOffsetMs) });
beforeEach(() => {
  clockOffsetMs = 0;
});

async function openSignedInClient(name: string, signInPath?: string): Promise<PageClient> {
  const client = openPageClient(platform.address, signInPath);
  await client.signIn(name);
  return client;
}
const findFormToken = (page: string): string => /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "";
/** Returns the values of the hidden inputs on a page, keyed by name. */
const readHiddenInputs = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [
      name ?? "",
      value ?? "",
    ]),
  );
const input = { title: "Kitchen help, typed for ten minutes" };
const signInAgain = { "signIn-name": hanaAddress, "signIn-password": "demo-password" };

const waysToEnd: [string, (client: PageClient) => Promise<unknown>][] = [
  ["after twelve hours", async () => (clockOffsetMs = 12 * hour)],
  ["by a sign-out in another tab", (client) => client.send("/sign-out")],
];

describe("forms submitted after their session ended", () => {
  test.each(waysToEnd)(
    "a form asks the user to sign in again and preserves the input if its session ended %s [D-147]",
    async (how, end) => {
      const offerFields = {
        title: `Typed for ten minutes, ended ${how}`,
        details: "Knives & aprons",
        worker: "worker_amal",
        act: "create",
      };
      const hana = await openSignedInClient(hanaAddress);
      const formToken = findFormToken((await hana.get("/offers/new")).text);
      await end(hana);

      const signInPage = await hana.send("/offers/new", offerFields, { formToken });
      expect(signInPage.status).toBe(401);
      expect(signInPage.text).toContain("Your input is kept");
      const restoredFields = readHiddenInputs(signInPage.text);
      expect(restoredFields).toMatchObject({ title: offerFields.title, worker: "worker_amal" });

      const wrongPassword = { ...signInAgain, "signIn-password": "wrong" };
      const failedSignIn = await hana.send("/offers/new", {
        ...restoredFields,
        details: offerFields.details,
        ...wrongPassword,
      });
      expect(failedSignIn.status).toBe(401);
      expect(failedSignIn.text).toContain("Incorrect name or password.");
      expect(failedSignIn.text).not.toContain('"wrong"');
      const { formToken: currentToken, ...fields } = readHiddenInputs(failedSignIn.text);
      const form = await hana.send(
        "/offers/new",
        { ...fields, details: offerFields.details, ...signInAgain },
        { formToken: currentToken ?? "" },
      );
      expect(form.status).toBe(200);
      expect(form.text).toContain("You have signed in again.");
      expect(form.text).toContain(`value="${offerFields.title}"`);
      expect(form.text).toContain("Knives &amp; aprons");
      expect(form.text).toMatch(/value="worker_amal"[^>]* checked/);
      expect((await hana.get("/offers")).text).not.toContain(offerFields.title);

      const created = await hana.send("/offers/new", offerFields, { formToken: findFormToken(form.text) });
      expect(created.status).toBe(303);
    },
  );

  test("a page that asks the user to sign in again never contains the entered secret [D-147]", async () => {
    const hana = await openSignedInClient(hanaAddress);
    const { formToken } = readHiddenInputs((await hana.get("/company")).text);
    await hana.send("/sign-out");
    const fields = { baseAddress: "https://hooks.example.com", secret: "a secret that was typed" };
    const ended = await hana.send("/company", fields, { formToken: formToken ?? "" });
    expect(ended.text).not.toContain(fields.secret);
    const { text } = await hana.send(
      "/company",
      { ...readHiddenInputs(ended.text), ...signInAgain },
      formTokenOption(ended.text),
    );
    expect(text).toContain('value="https://hooks.example.com"');
    expect(text).not.toContain(fields.secret);
  });

  test("after signing in again, a button without input asks for confirmation, because someone else may have signed in [D-147]", async () => {
    const amal = await openSignedInClient("worker_amal", "/app/sign-in");
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    const path = `/app/offers/${created.json<{ id: string }>().id}`;
    const { formToken } = readHiddenInputs((await amal.get(path)).text);
    await amal.send("/app/sign-out");
    const ended = await amal.send(`${path}/apply`, {}, { formToken: formToken ?? "" });
    expect(ended.status).toBe(401);
    const credentials = { ...signInAgain, "signIn-name": "worker_amal" };
    const question = await amal.send(`${path}/apply`, credentials, formTokenOption(ended.text));
    expect(question.text).toContain("Send the form again?");
    expect((await amal.get(path)).text).not.toContain("You applied");
    expect((await amal.send(`${path}/apply`, {}, formTokenOption(question.text))).status).toBe(303);
  });

  test("a form is shown again and has no effect if the user has signed in again in another tab", async () => {
    const hana = await openSignedInClient(hanaAddress);
    const formToken = findFormToken((await hana.get("/offers/new")).text);
    await hana.signIn(hanaAddress);
    const { status, text } = await hana.send("/offers/new", input, { formToken });
    expect(status).toBe(403);
    expect(text).toContain(`value="${input.title}"`);
  });

  test("a form from another origin is rejected, and its input is not shown", async () => {
    const hana = await openSignedInClient(hanaAddress);
    await hana.send("/sign-out");
    const headers = { Origin: "https://evil.example" };
    const { status, text } = await hana.send("/offers/new", input, { headers, formToken: "" });
    expect(status).toBe(403);
    expect(text).not.toContain(input.title);
  });

  test("signing out after the session ended redirects to the sign-in page", async () => {
    const hana = await openSignedInClient(hanaAddress);
    const formToken = findFormToken((await hana.get("/offers")).text);
    await hana.send("/sign-out");
    expect(await hana.send("/sign-out", {}, { formToken })).toMatchObject({ status: 303, location: "/sign-in" });
  });
});

test("a sign-in form whose token has expired preserves the entered name", async () => {
  const guest = openPageClient(platform.address);
  const fields = { name: hanaAddress, password: "demo-password" };
  const { status, text } = await guest.send("/sign-in", fields, { formToken: "from an expired cookie" });
  expect(status).toBe(403);
  expect(text).toContain(`value="${hanaAddress}"`);
  expect(text).toContain("Enter your password again.");
});

describe("sessions", () => {
  test("a worker's session, its cookie and the device cookie stay valid while the worker uses them every month [D-56] [D-153]", async () => {
    const amal = await openSignedInClient("worker_amal", "/app/sign-in");
    for (let month = 0; month < 3; month += 1) {
      clockOffsetMs += 29 * day;
      const { status, headers } = await amal.get("/app");
      expect(status).toBe(200);
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^offers-app-.*Max-Age=25919\d\d/),
        expect.stringMatching(/^offers-device-.*Max-Age=34559940/),
      ]);
    }
    expect((await amal.get("/app")).headers.get("set-cookie")).toBeNull();
    clockOffsetMs += 30 * day;
    expect(await amal.get("/app")).toMatchObject({ status: 303, location: "/app/sign-in" });
  });

  test("a worker's session on the API stays valid while the worker uses it every month", async () => {
    const token = await platform.signInWorker("worker_ben");
    for (let month = 0; month < 2; month += 1) {
      clockOffsetMs += 29 * day;
      expect((await platform.call("GET", "/worker-app/notifications", { token })).status).toBe(200);
    }
  });

  test("a person's session ends after twelve hours, even if it is used [D-56]", async () => {
    const hana = await openSignedInClient(hanaAddress);
    clockOffsetMs = 11 * hour;
    expect((await hana.get("/offers")).status).toBe(200);
    clockOffsetMs = 12 * hour;
    expect((await hana.get("/offers")).status).toBe(303);
  });

  test("a session's event stream ends when the session expires [D-56]", async () => {
    // The session expires in one second.
    clockOffsetMs = 1_000 - 12 * hour;
    const hana = await openSignedInClient(hanaAddress);
    clockOffsetMs = 0;
    const stream = await openLiveReader(`${platform.address}/live`, hana.cookie());
    await stream.ended;
  });
});

const formTokenOption = (page: string) => ({ formToken: readHiddenInputs(page).formToken ?? "" });
