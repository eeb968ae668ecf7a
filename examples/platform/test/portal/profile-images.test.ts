import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProfileImageFinder } from "../../src/accounts/profile-images.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { eventually } from "../support/eventually.ts";
import { hangUp, openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";

/** An image with a single pixel. */
const gifImage = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
/** Creates a file of `size` bytes that starts like a PNG image. */
const createPng = (size: number): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(size - 8, 1)]);
const respondWithImage =
  (bytes: Buffer, type = "image/gif"): Respond =>
  (_, response) =>
    void response.writeHead(200, { "content-type": type }).end(bytes);

describe("profile images", () => {
  let host: Receiver;
  const endpointClient = createEndpointClient({ allowLoopback: true });
  const errors: unknown[] = [];
  const createFinder = (cacheMs?: number) =>
    createProfileImageFinder({
      endpointClient,
      onError: (error) => void errors.push(error),
      ...(cacheMs !== undefined && { cacheMs }),
    });
  beforeEach(async () => {
    host = await openReceiver(respondWithImage(gifImage));
  });
  afterEach(() => host.close());

  test("a profile image is fetched from its full URL without a signature", async () => {
    expect(await createFinder()(`${host.baseAddress}/dana.gif?size=80#face`)).toEqual({
      type: "image/gif",
      bytes: gifImage,
    });
    const [request] = host.requests;
    expect(request).toMatchObject({ method: "GET", url: "/dana.gif?size=80", body: "" });
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  test("the type of a profile image is determined from its bytes, even if the response declares a different type", async () => {
    host.respond = respondWithImage(createPng(100), "text/html");
    expect(await createFinder()(`${host.baseAddress}/a`)).toMatchObject({ type: "image/png" });
  });

  test("a profile image of 1 MiB is shown, and one byte more is rejected", async () => {
    const fetchImage = createFinder();
    host.respond = respondWithImage(createPng(1024 * 1024));
    const image = await fetchImage(`${host.baseAddress}/full`);
    expect(
      createHash("sha1")
        .update(image?.bytes ?? "")
        .digest("hex"),
    ).toBe(
      createHash("sha1")
        .update(createPng(1024 * 1024))
        .digest("hex"),
    );
    host.respond = respondWithImage(createPng(1024 * 1024 + 1));
    expect(await fetchImage(`${host.baseAddress}/over`)).toBeUndefined();
  });

  test.each<[string, Respond]>([
    ["SVG", respondWithImage(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml")],
    ["HTML declared as an image", respondWithImage(Buffer.from("<!doctype html>"), "image/png")],
    ["a redirect", respondWith(302, { location: "/dana.gif" })],
    ["a 404", (_, response) => void response.writeHead(404).end(gifImage)],
    ["a closed connection", hangUp],
  ])("no profile image is shown for %s", async (_, respond) => {
    host.respond = respond;
    expect(await createFinder()(`${host.baseAddress}/a`)).toBeUndefined();
  });

  test.each(["ftp://images.example.com/a.png", "http://user:secret@127.0.0.1/a.png", "not an address"])(
    "no profile image is fetched from %s",
    async (url) => expect(await createFinder()(url)).toBeUndefined(),
  );

  test("profile images are fetched through the guard, which rejects private addresses", async () => {
    const guardedClient = createEndpointClient();
    const fetchImage = createProfileImageFinder({
      endpointClient: guardedClient,
      onError: (error) => void errors.push(error),
    });
    expect(await fetchImage(`${host.baseAddress}/a.gif`)).toBeUndefined();
    expect(await fetchImage("http://169.254.169.254/latest/meta-data")).toBeUndefined();
    expect(host.requests).toEqual([]);
    await guardedClient.close();
  });

  test("a profile image is fetched once while cached, even by concurrent requests, and again afterwards", async () => {
    const fetchImage = createFinder(1_000);
    const url = `${host.baseAddress}/a.gif`;
    await Promise.all([fetchImage(url), fetchImage(url)]);
    await fetchImage(url);
    expect(host.requests).toHaveLength(1);
    await eventually("the image is no longer cached", async () => {
      await fetchImage(url);
      return host.requests.length === 2;
    });
  });

  test("at most 32 profile images are cached", async () => {
    const fetchImage = createFinder();
    for (let index = 0; index < 33; index += 1) await fetchImage(`${host.baseAddress}/${index}`);
    await fetchImage(`${host.baseAddress}/32`);
    expect(host.requests).toHaveLength(33);
    await fetchImage(`${host.baseAddress}/0`);
    expect(host.requests).toHaveLength(34);
  });

  test("no profile image is shown after an internal error, which is reported", async () => {
    const bug = new Error("bug");
    const failingClient = { send: () => Promise.reject(bug), close: async () => undefined };
    const fetchImage = createProfileImageFinder({
      endpointClient: failingClient,
      onError: (error) => void errors.push(error),
    });
    expect(await fetchImage("https://images.example.com/a.png")).toBeUndefined();
    expect(errors).toEqual([bug]);
  });
});
