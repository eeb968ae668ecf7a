import { beforeEach, describe, expect, test } from "vitest";
import { secrets, startReceiver } from "../../../../packages/cli/test/support/start-receiver.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";
import { companySecret, openPageClient, saveCompany } from "./page-client.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver();

beforeEach(() => {
  receiver.respond = respondWith(200);
});

const send = (fields: Record<string, string> = {}) =>
  hana.send("/company/test-event", { event: "worker-offer-response", way: "as-sent", ...fields });

/** Returns the codes of the findings on the page. */
const codesOf = (text: string) =>
  [...text.matchAll(/<span class="fine">([a-z_]+)<\/span><\/h3>/g)].map(([, code]) => code);

/** Returns the content of a figure, as a user would copy it. */
const figuresOf = (text: string, label: string) =>
  [...text.matchAll(new RegExp(`aria-label="${label}[^"]*"><code[^>]*>([^<]*)</code>`, "g"))].map(([, code = ""]) =>
    code
      .replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );

describe("a test event", () => {
  test("to the saved endpoint is signed with its secret, and shown with its response [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.requests.length = 0;
    const { status, text } = await send();
    expect(status).toBe(200);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", url: "/hooks/offer/response" });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ workerId: "worker_amal", response: "accepted" });
    expect(text).toContain("1 request: every response is correct.");
    const [shown = ""] = figuresOf(text, "Request: ");
    expect(shown).toContain(
      `POST ${receiver.baseAddress}/hooks/offer/response\nTimestamp: ${request?.headers.timestamp}\nAuthorization: hmac ***`,
    );
    expect(text).not.toContain(String(request?.headers.authorization).slice(5));
    expect(text).not.toContain(companySecret);
    expect(figuresOf(text, "curl, ")[0]).toContain('-H "Authorization: hmac $(digest $now)"');
    await send();
    const next = JSON.parse(receiver.requests[1]?.body ?? "");
    expect(next.offerId).not.toBe(JSON.parse(request?.body ?? "").offerId);
  });

  test("is not a delivery: nothing is stored or retried [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.respond = respondWith(500);
    expect((await send()).text).toContain("server_error");
    expect((await hana.get("/deliveries")).text).toContain("No events yet");
    expect((await hana.get("/company")).text).toContain(">Healthy</span>");
  });

  test("to a typed address requires the secret of that address [D-41] [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.requests.length = 0;
    const { status, text } = await send({ baseAddress: `${receiver.baseAddress}/staging` });
    expect([status, receiver.requests.length]).toEqual([422, 0]);
    expect(text).toMatch(/id="test-secret-error".*which is not the saved one/);
    const other = "another-secret-of-32-characters!";
    expect((await send({ baseAddress: `${receiver.baseAddress}/staging`, secret: other })).text).not.toContain(other);
    expect(receiver.requests[0]?.url).toBe("/staging/offer/response");
    expect((await hana.get("/company")).text).toContain(`<dd>${receiver.baseAddress}/hooks</dd>`);
  });

  test.each(["http://192.168.0.10/offers", "http://169.254.169.254/latest", "http://[fd00::1]/"])(
    "to %s is not sent, just as for a saved address [D-41]",
    async (baseAddress) => {
      const { text } = await send({ baseAddress, secret: companySecret });
      expect(text).toContain("does not resolve to a public IP address");
      expect(text).toContain("Your endpoint did not respond.");
      expect(codesOf(text)).toEqual([]);
    },
  );

  test("asks for an endpoint when there is none, and rejects an unknown event or kind", async () => {
    await saveCompany(hana, receiver);
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    const form = { event: "worker-offer-response", way: "as-sent" };
    expect((await bo.send("/company/test-event", form)).text).toContain("Save a base URL and a secret");
    expect((await bo.send("/company/test-event", { ...form, event: "no-such" })).status).toBe(422);
    expect((await send({ event: "test", way: "late" })).text).toContain(
      "ways to send this webhook: as the service sends it.",
    );
  });

  test("has a form on the company page that works without a script", async () => {
    const { text } = await hana.get("/company");
    expect(text).toContain('action="/company/test-event"');
    expect((await hana.get("/company/test-event")).status).toBe(200);
  });

  test("passes in every way at a correct receiver", async () => {
    const { url, stop } = await startReceiver("node", "standardWebhooks");
    const fields = { way: "every", baseAddress: url.href, secret: secrets.standardWebhooks };
    const { text } = await send({ ...fields, scheme: "timestampDigestAndStandardWebhooks" });
    await stop();
    expect(text).toMatch(/\d\d requests: every response is correct\./);
  });
});
