import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { usePageClient, usePlatform } from "../support/use-opened.ts";
import { openPageClient } from "./page-client.ts";

const run = promisify(execFile);
const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");

const slot = { start: "2099-05-01T16:00", end: "2099-05-01T22:00" };
const fields = { title: "Kitchen help", worker: ["worker_amal", "worker_ben"], ...slot, act: "create" };

/** Creates an offer with the form. @returns the offer's path */
async function createOffer(changes: Record<string, string | string[]> = {}): Promise<string> {
  const response = await hana.send("/offers/new", { ...fields, ...changes });
  expect(response).toMatchObject({ status: 303, location: expect.stringMatching(/^\/offers\/offer_/) });
  return response.location ?? "";
}

/** Returns the idempotency key in a page's form. */
const findIdempotencyKey = (text: string): string => /name="idempotencyKey" value="([^"]+)"/.exec(text)?.[1] ?? "";

const readOffer = async (path: string) =>
  (await platform.call("GET", `/offer/${path.split("/")[2]}`, { key: "demo-key-harbour" })).json();

const actAsWorker = async (workerId: string, path: string, action: string): Promise<void> => {
  const token = await platform.signInWorker(workerId);
  const response = await platform.call("POST", `/worker-app/offers/${path.split("/")[2]}/${action}`, { token });
  expect(response.status).toBe(204);
};

describe("creating an offer", () => {
  test("the form creates the same offer as the API, with every field", async () => {
    const path = await createOffer({
      details: "Bring\r\nshoes.",
      locationPlaceId: "place_7",
      notifyEmailAddress: "hana@harbour-hotels.example",
      moreWorkerIds: "worker_cleo\r\n",
    });
    expect(await readOffer(path)).toMatchObject({
      title: "Kitchen help",
      details: "Bring\nshoes.",
      locationPlaceId: "place_7",
      events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
      recipients: [{ workerId: "worker_amal" }, { workerId: "worker_ben" }, { workerId: "worker_cleo" }],
    });
    const page = await hana.get(path);
    expect(page.text).toContain("The offer was created. The workers are being notified.");
    expect((await hana.get(path)).text).not.toContain("The offer was created");
  });

  test("the offer form shows errors next to their fields and preserves the input [D-83]", async () => {
    const { status, text } = await hana.send("/offers/new", {
      ...fields,
      title: " ",
      details: '<b>"kept"</b>',
      worker: "worker_amal",
      moreWorkerIds: "worker_unknown",
      end: "2099-05-01T15:00",
    });
    expect(status).toBe(422);
    expect(text).toMatch(/aria-describedby="title-error" aria-invalid="true"/);
    expect(text).toContain("The title must not be blank.");
    expect(text).toContain("Choose an end that is after the start.");
    expect(text).toContain("worker_unknown: Send a worker&#39;s id; no worker has this one.");
    expect(text).toContain("&lt;b&gt;&quot;kept&quot;&lt;/b&gt;</textarea>");
    expect(text).toMatch(/value="worker_amal" checked/);
    expect(text).toContain('value="2099-05-01T15:00"');
  });

  test("submitting the same offer form twice creates one offer, and different input creates another [D-85]", async () => {
    const form = { ...fields, title: "Once", idempotencyKey: findIdempotencyKey((await hana.get("/offers/new")).text) };
    expect(form.idempotencyKey).toMatch(/^[\w-]{36}$/);
    const paths = (await Promise.all([createOffer(form), createOffer(form)])).concat(await createOffer(form));
    expect(new Set(paths).size).toBe(1);
    const others = [
      await createOffer({ ...form, title: "Twice" }),
      await createOffer({ ...form, idempotencyKey: "another" }),
    ];
    expect(new Set([...paths, ...others]).size).toBe(3);
    const otherClient = openPageClient(platform.address);
    await otherClient.signIn("hana@harbour-hotels.example");
    expect((await otherClient.send("/offers/new", form)).location).not.toBe(paths[0]);
  });

  test("a rejected offer form can be submitted again with the same key", async () => {
    const idempotencyKey = findIdempotencyKey((await hana.get("/offers/new")).text);
    for (const _ of ["first", "again"])
      expect((await hana.send("/offers/new", { ...fields, title: "", idempotencyKey })).status).toBe(422);
  });

  test("an offer without workers is rejected", async () => {
    const { worker: _, ...withoutWorkers } = fields;
    const { status, text } = await hana.send("/offers/new", withoutWorkers);
    expect([status, text.includes("Choose at least one worker.")]).toEqual([422, true]);
  });

  test("adding a time slot to the offer form preserves the input", async () => {
    const { status, text } = await hana.send("/offers/new", { ...fields, act: "addSlot" });
    expect(status).toBe(200);
    expect(text.match(/name="start"/g)).toHaveLength(2);
    expect(text).toContain('value="Kitchen help"');
  });
});

describe("offers", () => {
  test("an offer page shows each worker's response", async () => {
    const path = await createOffer({ worker: ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"] });
    await actAsWorker("worker_amal", path, "apply");
    await actAsWorker("worker_ben", path, "reject");
    await actAsWorker("worker_cleo", path, "open");
    const { text } = await hana.get(path);
    expect(text).toContain("1 applied, 1 rejected, 2 without a response");
    for (const word of ["Applied", "Rejected", "Opened", "No response"]) expect(text).toContain(`>${word}</span>`);
    expect(text).toContain('id="tick-worker_amal"');
    expect(text).not.toContain('id="tick-worker_ben"');
    expect((await hana.get("/offers")).text).toContain(`href="${path}"`);
  });

  test("an offer is completed with the selected applicants", async () => {
    const path = await createOffer();
    expect((await hana.get(path)).text).toContain("No worker has applied yet.");
    await actAsWorker("worker_amal", path, "apply");
    const completed = await hana.send(`${path}/complete`, { worker: "worker_amal", confirmed: "yes" });
    expect(completed).toMatchObject({ status: 303, location: path });
    expect(await readOffer(path)).toMatchObject({ complete: true, recipients: [{ confirmation: "confirmed" }, {}] });
    const { text } = await hana.get(path);
    expect(text).toContain("Gets the work");
    expect(text).not.toContain("/complete");
    const again = await hana.send(`${path}/complete`, { worker: "worker_amal" });
    expect([again.status, again.text.includes("cannot be completed again")]).toEqual([422, true]);
  });

  test("submitting a completion twice completes the offer once and redirects to the same page [D-85]", async () => {
    const path = await createOffer();
    await actAsWorker("worker_amal", path, "apply");
    const question = await hana.send(`${path}/complete`, { worker: "worker_amal" });
    const form = { idempotencyKey: findIdempotencyKey(question.text), worker: "worker_amal", confirmed: "yes" };
    for (const _ of ["first", "again"])
      expect(await hana.send(`${path}/complete`, form)).toMatchObject({ status: 303, location: path });
    expect((await hana.send(`${path}/complete`, { ...form, worker: "worker_ben" })).status).toBe(422);
  });

  test.each<[string, Record<string, string>, string]>([
    ["no worker", {}, "Select at least one worker who has applied."],
    ["a worker who has not applied", { worker: "worker_ben" }, "A selected worker no longer applies. Reload the page."],
  ])("an offer is not completed with %s [D-83]", async (_, input, message) => {
    const path = await createOffer();
    const { status, text } = await hana.send(`${path}/complete`, input);
    expect([status, text.includes(message)]).toEqual([422, true]);
    expect(await readOffer(path)).toMatchObject({ complete: false });
  });

  test("the confirmation page for a completion shows who gets the work and how many other workers are notified [D-132]", async () => {
    const path = await createOffer({ worker: ["worker_amal", "worker_ben", "worker_cleo"] });
    for (const worker of ["worker_amal", "worker_ben"]) await actAsWorker(worker, path, "apply");
    const question = await hana.send(`${path}/complete`, { worker: "worker_amal" });
    expect(question.status).toBe(200);
    expect(question.text).toContain("<h1>Give the work to 1 worker?</h1>");
    expect(question.text).toContain("<strong>Amal Haddad</strong>");
    expect(question.text).toContain("2 other workers (1 of them applied) will be notified that others got the work.");
    expect(await readOffer(path)).toMatchObject({ complete: false });
    // Read the hidden fields of the confirmation form.
    const fields = [...question.text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)];
    const form = Object.fromEntries(fields.map(([, name = "", value = ""]) => [name, value]));
    expect(await hana.send(`${path}/complete`, form)).toMatchObject({ status: 303, location: path });
    expect(await readOffer(path)).toMatchObject({
      complete: true,
      recipients: [{ workerId: "worker_amal", confirmation: "confirmed" }, { confirmation: "" }, { confirmation: "" }],
    });
  });

  test("an offer is withdrawn once, after a confirmation [D-132]", async () => {
    const path = await createOffer();
    const question = await hana.get(`${path}/withdraw`);
    expect(question.text).toContain("Withdraw this offer?");
    expect(await readOffer(path)).toMatchObject({ widthdrawn: false });
    expect(await hana.send(`${path}/withdraw`)).toMatchObject({ status: 303, location: path });
    expect(await readOffer(path)).toMatchObject({ widthdrawn: true });
    expect(await hana.get(`${path}/withdraw`)).toMatchObject({ status: 303, location: path });
    expect((await hana.send(`${path}/withdraw`)).status).toBe(303);
  });
});

describe("code samples", () => {
  const env = { ...process.env, OFFERS_API_KEY: "demo-key-harbour" };
  /** Returns the code that the copy button copies. */
  const extractCode = (html: string, id: string): string => {
    const [, code = ""] = new RegExp(`<code id="${id}">([^]*?)</code>`).exec(html) ?? [];
    const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
    return code.replaceAll(/&(#?\w+);/g, (all, name: string) => entities[name] ?? all);
  };
  const runClient = (code: string) =>
    run(process.execPath, ["--input-type=module", "--eval", code], { env, cwd: import.meta.dirname });
  const runCurl = (code: string) => run("sh", ["-c", code.replace("curl ", "curl --silent ")], { env });

  test("the code samples on the offer form create exactly the entered offer", async () => {
    const title = `O'Brien's "café" $HOME \\ \`id\``;
    const { text } = await hana.send("/offers/new", { ...fields, title, act: "addSlot" });
    const { stdout: id } = await runClient(extractCode(text, "code-create-client"));
    const { stdout: json } = await runCurl(extractCode(text, "code-create-curl"));
    for (const created of [id.trim(), JSON.parse(json).id])
      expect(await readOffer(`/offers/${created}`)).toMatchObject({
        title,
        recipients: [{ workerId: "worker_amal" }, { workerId: "worker_ben" }],
      });
  });

  test("the code samples on offer pages read, complete and withdraw the offer", async () => {
    const [first, second] = [await createOffer(), await createOffer()];
    for (const path of [first, second]) await actAsWorker("worker_amal", path, "apply");
    const page = (await hana.get(first)).text;
    expect(JSON.parse((await runCurl(extractCode(page, "code-read-curl"))).stdout)).toMatchObject({
      title: "Kitchen help",
    });
    await runClient(extractCode(page, "code-complete-client"));
    await runCurl(extractCode((await hana.get(second)).text, "code-complete-curl"));
    for (const path of [first, second]) expect(await readOffer(path)).toMatchObject({ complete: true });
    expect((await runClient(extractCode(page, "code-read-client"))).stdout).toContain("Amal Haddad: applied");
    await runClient(extractCode((await hana.get(`${first}/withdraw`)).text, "code-withdraw-client"));
    await runCurl(extractCode((await hana.get(`${second}/withdraw`)).text, "code-withdraw-curl"));
    for (const path of [first, second]) expect(await readOffer(path)).toMatchObject({ widthdrawn: true });
  });

  test("code samples read the API key from an environment variable and never contain the key", async () => {
    for (const path of ["/offers/new", await createOffer()]) {
      const { text } = await hana.get(path);
      expect(text).toContain("OFFERS_API_KEY");
      expect(text).not.toContain("demo-key");
    }
  });
});
