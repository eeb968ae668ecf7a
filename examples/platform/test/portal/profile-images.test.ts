import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { profileImages } from "../../src/accounts/profile-images.ts";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";
import { eventually } from "../support/eventually.ts";
import { hangUp, openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";

/** An image with a single pixel. */
const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const png = (size: number): Buffer =>
  Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(size - 8, 1)]);
const picture =
  (bytes: Buffer, type = "image/gif"): Respond =>
  (_, response) =>
    void response.writeHead(200, { "content-type": type }).end(bytes);

describe("profile images", () => {
  let host: Receiver;
  const endpointClient = createEndpointClient({ allowLoopback: true });
  const errors: unknown[] = [];
  const open = (cacheMs?: number) =>
    profileImages({
      endpointClient,
      onError: (error) => void errors.push(error),
      ...(cacheMs !== undefined && { cacheMs }),
    });
  beforeEach(async () => {
    host = await openReceiver(picture(gif));
  });
  afterEach(() => host.close());

  test("are fetched from their full URL without a signature", async () => {
    expect(await open()(`${host.baseAddress}/dana.gif?size=80#face`)).toEqual({ type: "image/gif", bytes: gif });
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

  test("are served with the type of their bytes, whatever the response says", async () => {
    host.respond = picture(png(100), "text/html");
    expect(await open()(`${host.baseAddress}/a`)).toMatchObject({ type: "image/png" });
  });

  test("of 1 MiB are shown, and one byte more is rejected", async () => {
    const find = open();
    host.respond = picture(png(1024 * 1024));
    const shown = await find(`${host.baseAddress}/full`);
    expect(
      createHash("sha1")
        .update(shown?.bytes ?? "")
        .digest("hex"),
    ).toBe(
      createHash("sha1")
        .update(png(1024 * 1024))
        .digest("hex"),
    );
    host.respond = picture(png(1024 * 1024 + 1));
    expect(await find(`${host.baseAddress}/over`)).toBeUndefined();
  });

  test.each<[string, Respond]>([
    ["SVG", picture(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml")],
    ["HTML declared as an image", picture(Buffer.from("<!doctype html>"), "image/png")],
    ["a redirect", respondWith(302, { location: "/dana.gif" })],
    ["a 404", (_, response) => void response.writeHead(404).end(gif)],
    ["a closed connection", hangUp],
  ])("are not shown for %s", async (_, response) => {
    host.respond = response;
    expect(await open()(`${host.baseAddress}/a`)).toBeUndefined();
  });

  test.each(["ftp://images.example.com/a.png", "http://user:secret@127.0.0.1/a.png", "not an address"])(
    "are not fetched from %s",
    async (url) => expect(await open()(url)).toBeUndefined(),
  );

  test("are fetched through the guard, which rejects private addresses", async () => {
    const closed = createEndpointClient();
    const find = profileImages({ endpointClient: closed, onError: (error) => void errors.push(error) });
    expect(await find(`${host.baseAddress}/a.gif`)).toBeUndefined();
    expect(await find("http://169.254.169.254/latest/meta-data")).toBeUndefined();
    expect(host.requests).toEqual([]);
    await closed.close();
  });

  test("are fetched once while cached, even by concurrent requests, and then again", async () => {
    const find = open(1_000);
    const url = `${host.baseAddress}/a.gif`;
    await Promise.all([find(url), find(url)]);
    await find(url);
    expect(host.requests).toHaveLength(1);
    await eventually("it is no longer kept", async () => {
      await find(url);
      return host.requests.length === 2;
    });
  });

  test("are cached up to 32", async () => {
    const find = open();
    for (let n = 0; n < 33; n += 1) await find(`${host.baseAddress}/${n}`);
    await find(`${host.baseAddress}/32`);
    expect(host.requests).toHaveLength(33);
    await find(`${host.baseAddress}/0`);
    expect(host.requests).toHaveLength(34);
  });

  test("are not shown after an internal error, which is reported", async () => {
    const bug = new Error("bug");
    const broken = { send: () => Promise.reject(bug), close: async () => undefined };
    const find = profileImages({ endpointClient: broken, onError: (error) => void errors.push(error) });
    expect(await find("https://images.example.com/a.png")).toBeUndefined();
    expect(errors).toEqual([bug]);
  });
});
