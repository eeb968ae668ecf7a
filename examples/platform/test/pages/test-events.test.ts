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

const sendTestEvent = (fields: Record<string, string> = {}) =>
  hana.send("/company/test-event", { event: "worker-offer-response", way: "as-sent", ...fields });

/** Returns the codes of the problems that the page reports. */
const extractCodes = (text: string) =>
  [...text.matchAll(/<span class="fine">([a-z_]+)<\/span><\/h3>/g)].map(([, code]) => code);

/** Returns the code in each figure with the label, as a user would copy it. */
const extractFigures = (text: string, label: string) =>
  [...text.matchAll(new RegExp(`aria-label="${label}[^"]*"><code[^>]*>([^<]*)</code>`, "g"))].map(([, code = ""]) =>
    code
      .replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&"),
  );

describe("test events", () => {
  test("a test event to the saved endpoint is signed with its secret, and shown with its response [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.requests.length = 0;
    const { status, text } = await sendTestEvent();
    expect(status).toBe(200);
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: "POST", url: "/hooks/offer/response" });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ workerId: "worker_amal", response: "accepted" });
    expect(text).toContain("1 request: every response is correct.");
    const [requestFigure = ""] = extractFigures(text, "Request: ");
    expect(requestFigure).toContain(
      `POST ${receiver.baseAddress}/hooks/offer/response\nTimestamp: ${request?.headers.timestamp}\nAuthorization: hmac ***`,
    );
    expect(text).not.toContain(String(request?.headers.authorization).slice(5));
    expect(text).not.toContain(companySecret);
    expect(extractFigures(text, "curl, ")[0]).toContain('-H "Authorization: hmac $(digest $now)"');
    await sendTestEvent();
    const nextBody = JSON.parse(receiver.requests[1]?.body ?? "");
    expect(nextBody.offerId).not.toBe(JSON.parse(request?.body ?? "").offerId);
  });

  test("a test event is neither stored nor retried [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.respond = respondWith(500);
    expect((await sendTestEvent()).text).toContain("server_error");
    expect((await hana.get("/deliveries")).text).toContain("No events yet");
    expect((await hana.get("/company")).text).toContain(">Healthy</span>");
  });

  test("a test event to a different base URL requires the secret for that URL [D-41] [D-148]", async () => {
    await saveCompany(hana, receiver);
    receiver.requests.length = 0;
    const { status, text } = await sendTestEvent({ baseAddress: `${receiver.baseAddress}/staging` });
    expect([status, receiver.requests.length]).toEqual([422, 0]);
    expect(text).toMatch(/id="test-secret-error".*differs from the saved one/);
    const otherSecret = "another-secret-of-32-characters!";
    const fields = { baseAddress: `${receiver.baseAddress}/staging`, secret: otherSecret };
    expect((await sendTestEvent(fields)).text).not.toContain(otherSecret);
    expect(receiver.requests[0]?.url).toBe("/staging/offer/response");
    expect((await hana.get("/company")).text).toContain(`<dd>${receiver.baseAddress}/hooks</dd>`);
  });

  test.each(["http://192.168.0.10/offers", "http://169.254.169.254/latest", "http://[fd00::1]/"])(
    "a test event is not sent to the private address %s [D-41]",
    async (baseAddress) => {
      const { text } = await sendTestEvent({ baseAddress, secret: companySecret });
      expect(text).toContain("does not resolve to a public IP address");
      expect(text).toContain("Your endpoint did not respond.");
      expect(extractCodes(text)).toEqual([]);
    },
  );

  test("a test event requires an endpoint, a known event, and a way that the event supports", async () => {
    await saveCompany(hana, receiver);
    const bo = openPageClient(platform.address);
    await bo.signIn("bo@bistro-group.example");
    const form = { event: "worker-offer-response", way: "as-sent" };
    expect((await bo.send("/company/test-event", form)).text).toContain("Save a base URL and a secret");
    expect((await bo.send("/company/test-event", { ...form, event: "no-such" })).status).toBe(422);
    expect((await sendTestEvent({ event: "test", way: "late" })).text).toContain(
      "ways to send this webhook: as the service sends it.",
    );
  });

  test("the test event form on the company page works without a script", async () => {
    const { text } = await hana.get("/company");
    expect(text).toContain('action="/company/test-event"');
    expect((await hana.get("/company/test-event")).status).toBe(200);
  });

  test("a correct receiver passes every test event", async () => {
    const { url, stop } = await startReceiver("node", "standardWebhooks");
    const fields = { way: "every", baseAddress: url.href, secret: secrets.standardWebhooks };
    const { text } = await sendTestEvent({ ...fields, scheme: "timestampDigestAndStandardWebhooks" });
    await stop();
    expect(text).toMatch(/\d\d requests: every response is correct\./);
  });
});
