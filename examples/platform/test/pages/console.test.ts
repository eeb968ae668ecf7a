import { expect, test } from "vitest";
import { parse } from "yaml";
import { demoSeedFile } from "../../src/seed/demo-sign-ins.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

const platform = usePlatform();
const get = (path: string, headers: Record<string, string> = {}) => fetch(platform.address + path, { headers });

test("the console and its files are served from the platform's origin, and its scripts can be cached [D-150]", async () => {
  const page = await get("/docs");
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const text = await page.text();
  expect(text).not.toMatch(/https?:\/\//);
  const scripts = [...text.matchAll(/src="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(scripts).toHaveLength(2);
  for (const path of scripts) {
    const script = await get(path);
    expect([script.status, script.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  }
  expect((await get("/docs/no-such.js")).status).toBe(404);
});

test("the console serves the contract, compressed only for clients that accept compression [D-150]", async () => {
  const plain = await get("/docs/openapi.yaml", { "accept-encoding": "identity" });
  expect(plain.headers.get("content-encoding")).toBeNull();
  const document = await plain.text();
  expect(Object.keys(parse(document).webhooks)).toContain("/offer/response");
  const zipped = await get("/docs/openapi.yaml", { "accept-encoding": "gzip" });
  expect(zipped.headers.get("content-encoding")).toBe("gzip");
  expect(await zipped.text()).toBe(document);
});

test("only the console's security policy allows inline styles, and it allows no other origins [D-150]", async () => {
  const readPolicy = async (path: string) => (await get(path)).headers.get("content-security-policy") ?? "";
  expect(await readPolicy("/docs")).toBe(
    "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;connect-src 'self';form-action 'none';base-uri 'none';frame-ancestors 'none'",
  );
  for (const path of ["/sign-in", "/app/sign-in", "/docsx", "/assets/none"])
    expect(await readPolicy(path)).not.toContain("unsafe-inline");
});

test("the console page contains the demo API key, but no key from a different seed [D-150]", async () => {
  expect(await (await get("/docs")).text()).not.toContain("demo-key");
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const demo = await openPlatform(database, { seedFile: demoSeedFile });
  expect(await (await fetch(`${demo.address}/docs`)).text()).toContain('"value":"demo-key-harbour"');
  await demo.close();
});
