import { createServer } from "node:https";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { classifyError } from "../../src/endpoint-client/failures.ts";
import { companySecret, saveCompany } from "../pages/page-client.ts";
import { hangUp, respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver();
beforeEach(() => {
  receiver.respond = respondWith(200);
  receiver.requests.length = 0;
});

/** Returns the path and signature of each received request. */
const readSignatures = () => receiver.requests.map(({ url, headers }) => [url, headers.authorization]);

describe("registering an endpoint", () => {
  test("an endpoint that responds with 200 to everything is saved with a warning [D-41]", async () => {
    const { status, text } = await saveCompany(hana, receiver);
    expect(status).toBe(200);
    expect(text).toContain("Your endpoint accepts requests that are not from the service.");
    expect(text).toContain("The profile is saved.");
    const [, signed, forged] = readSignatures();
    expect([signed?.[0], forged?.[0]]).toEqual(["/hooks/test/auth", "/hooks/test/auth"]);
    expect(forged?.[1]).toEqual(expect.any(String));
    expect(forged?.[1]).not.toBe(signed?.[1]);
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const json = { baseAddress: receiver.baseAddress, secret: companySecret, suggestsContacts: false };
    const { checks } = (await platform.call("PUT", "/portal/profile", { token, json })).json<{ checks: object[] }>();
    expect(checks).toMatchObject([{ code: "passed" }, { code: "passed", warning: { code: "accepts_forged" } }]);
  });

  test("an endpoint that rejects a wrong signature is saved without a warning", async () => {
    let authCheckCount = 0;
    receiver.respond = (request, response) => {
      if (request.url.endsWith("/test/auth")) authCheckCount += 1;
      respondWith(authCheckCount > 1 ? 401 : 200)(request, response);
    };
    const { status, text } = await saveCompany(hana, receiver);
    expect(status).toBe(200);
    expect(text).not.toContain("not from the service");
    expect(text).toContain("A third request, with an invalid signature, was rejected");
  });

  test("a redirect's target is shown with a button that uses it as the base URL", async () => {
    receiver.respond = (request, response) =>
      respondWith(308, { location: `https://hooks.example.com${request.url}/` })(request, response);
    const { status, text } = await saveCompany(hana, receiver);
    expect(status).toBe(422);
    expect(text).toContain("It redirects to https://hooks.example.com/hooks/test/");
    expect(text).toContain(
      '<button name="baseAddress" value="https://hooks.example.com/hooks">Use https://hooks.example.com/hooks</button>',
    );
    const { text: form } = await hana.get(
      "/company?scheme=timestampDigest&baseAddress=https%3A%2F%2Fhooks.example.com%2Fhooks",
    );
    expect(form).toMatch(/value="https:\/\/hooks\.example\.com\/hooks" id="baseAddress"/);
  });

  test.each(["https://elsewhere.example/sign-in", "javascript:alert(1)", "https://user:pass@hooks.example.com/test"])(
    "a redirect to %s is shown without a button",
    async (location) => {
      receiver.respond = respondWith(302, { location });
      const { text } = await saveCompany(hana, receiver);
      expect(text).toContain(`It redirects to ${location}, which no base URL can match: exempt the endpoint`);
      expect(text).not.toContain('<button name="baseAddress"');
    },
  );

  test("a secret in a redirect's target is never shown", async () => {
    receiver.respond = respondWith(302, { location: `https://hooks.example.com/?s=${companySecret}` });
    expect((await saveCompany(hana, receiver)).text).not.toContain(companySecret);
  });

  test("a 403 to both checks is reported as a firewall instead of a wrong secret", async () => {
    receiver.respond = respondWith(403, {}, "Access denied");
    const { text } = await saveCompany(hana, receiver);
    expect(text.match(/the secret is not the cause\. A firewall/g)).toHaveLength(2);
    expect(text).toContain("rejects the service&#39;s requests: allow them");
    expect(text).not.toContain("compare it with the one");
  });

  test("an endpoint that does not respond is reported with a remedy", async () => {
    const { text: refusedText } = await saveCompany(hana, { baseAddress: "http://127.0.0.1:1" });
    expect(refusedText).toContain("nothing is listening at the base URL: start the endpoint, or correct the host");
    receiver.respond = hangUp;
    const { text: lostText } = await saveCompany(hana, receiver);
    expect(lostText).toContain("check the endpoint&#39;s log for the request");
  });

  test("a base URL with a question mark is reported at its field, and nothing is sent", async () => {
    const { status, text } = await hana.send("/company", {
      baseAddress: `${receiver.baseAddress}/hooks?a=1`,
      secret: companySecret,
      scheme: "timestampDigest",
    });
    expect(status).toBe(422);
    expect(text).toContain("The base URL must not contain &quot;?&quot; or &quot;#&quot;.");
    expect(text).toMatch(/id="baseAddress"[^>]*aria-invalid="true"/);
    expect(text).not.toContain("Checks of");
    expect(receiver.requests).toEqual([]);
  });
});

describe("registering an http URL with an https port", () => {
  const server = createServer({});
  afterAll(() => void server.close());

  test("an http endpoint that responds with 400 or hangs up is not mistaken for an https port", async () => {
    for (const respond of [respondWith(400), hangUp]) {
      receiver.respond = respond;
      expect((await saveCompany(hana, receiver)).text).not.toContain("the port expects https");
    }
  });

  test("registering an https port with http suggests https", async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const { text } = await saveCompany(hana, { baseAddress: `http://127.0.0.1:${port}` });
    expect(text).toContain("the port expects https: start the base URL with https://");
  });
});

// The codes are from https://nodejs.org/api/tls.html#x509-certificate-error-codes and OpenSSL's sslerr.h.
test.each([
  ["CERT_HAS_EXPIRED", "has expired"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "for a different host name"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "is self-signed"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "full chain"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "does not accept https"],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "TLS 1.2"],
])("the TLS error %s is explained in words", (code, words) => {
  const { reason } = classifyError(Object.assign(new Error(), { code }));
  expect(reason).toContain(words);
  expect(reason).toContain(`(${code})`);
});
