import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type MailTransport, mailboxTransport } from "../../src/mail/mail-transport.ts";
import { smtpTransport } from "../../src/mail/smtp-transport.ts";
import { type MailOptions, maxMailAttempts, startMail } from "../../src/mail/start-mail.ts";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { type StorePlace, storesUnderTest } from "../support/stores.ts";

/** A mail server on loopback, with what it took. */
interface MailServer {
  url: string;
  mails: { from: string; to: string[]; text: string }[];
  /** How it answers a recipient from now on: with an error to refuse. */
  answer: (address: string) => Error | undefined;
  close(): Promise<void>;
}

const refusal = (responseCode: number): Error => Object.assign(new Error("refused"), { responseCode });

async function openMailServer(password?: string): Promise<MailServer> {
  const smtp = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    authOptional: password === undefined,
    onAuth: (given, _session, done) =>
      given.password === password ? done(null, { user: given.username }) : done(new Error("no")),
    onRcptTo: ({ address }, _session, done) => done(server.answer(address)),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        server.mails.push({ from, to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  smtp.on("error", () => undefined);
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  const credentials = password === undefined ? "" : `offers:${password}@`;
  const server: MailServer = {
    url: `smtp://${credentials}127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    mails: [],
    answer: () => undefined,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
  return server;
}

const from = "offers@platform.example";

describe.each(await storesUnderTest())("mail on $title", ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;
  let server: MailServer;
  let running: Loop[];
  let errors: unknown[];
  let transports: MailTransport[];

  beforeAll(async () => {
    place = await createPlace();
    store = await openStore(place.options);
  });
  afterAll(async () => {
    await store.close();
    await place.remove();
  });
  beforeEach(async () => {
    await store.execute("delete from mails");
    server = await openMailServer();
    [running, errors, transports] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all(running.map((loop) => loop.stop()));
    await Promise.all(transports.map((transport) => transport.close?.()));
    await server.close();
  });

  const start = (transport = smtpTransport({ url: server.url, from }), options: Partial<MailOptions> = {}): void => {
    transports.push(transport);
    const onError = (error: unknown): void => void errors.push(error);
    const now = (): Date => new Date();
    running.push(startMail({ store, transport, onError, now, firstRetryMs: 20, idleMs: 20, ...options }));
  };
  const write = async (to: string, subject = "Offer created", body = "The offer was created.") =>
    (
      await store.db
        .insertInto("mails")
        .values({ to_address: to, subject, body })
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id;
  const read = (id: number) =>
    store.db.selectFrom("mails").select(["sent_at", "attempts"]).where("id", "=", id).executeTakeFirstOrThrow();
  const isSent = async (id: number): Promise<boolean> => (await read(id)).sent_at !== null;

  test("each mail goes to its address, once, with an id of its own", async () => {
    start();
    const ids = await Promise.all(Array.from({ length: 25 }, (_, index) => write(`person-${index}@example.com`)));
    await eventually("all are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(ids.map((_, i) => `person-${i}@example.com`).sort());
    expect(new Set(server.mails.map(({ from: sender }) => sender))).toEqual(new Set([from]));
    const messageIds = server.mails.map(({ text }) => /^Message-ID: (<mail-\S+@platform\.example>)/m.exec(text)?.[1]);
    expect(new Set(messageIds).size).toBe(25);
    expect(server.mails[0]?.text).toMatch(/^Subject: Offer created\r$/m);
    expect(server.mails[0]?.text).toContain("The offer was created.");
  });

  test("two processes send each mail once", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => write(`person-${index}@example.com`)));
    start(undefined, { firstRetryMs: 60_000 });
    start(undefined, { firstRetryMs: 60_000 });
    await eventually("all are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails).toHaveLength(30);
  });

  test("an address with a comma is one address, and a subject with line breaks is one line", async () => {
    start();
    const id = await write("a,b@example.com", "Hello\r\nBcc: c@example.com");
    await eventually("it is sent", () => isSent(id));
    expect(server.mails).toMatchObject([{ to: ['"a,b"@example.com'] }]);
    expect(server.mails[0]?.text).not.toMatch(/^Bcc:/im);
  });

  test("a mail server that is busy is tried again, with the same Message-ID", async () => {
    let refusals = 2;
    server.answer = () => (refusals-- > 0 ? refusal(450) : undefined);
    start();
    const id = await write("amal@example.com");
    await eventually("it is sent", () => isSent(id));
    expect((await read(id)).attempts).toBe(3);
    expect(errors).toHaveLength(2);
    expect(server.mails).toHaveLength(1);
  });

  test("a mail server that is away is tried again", async () => {
    const { url } = server;
    await server.close();
    start(smtpTransport({ url, from }), { firstRetryMs: 1 });
    const id = await write("amal@example.com");
    await eventually("it is given up", async () => (await read(id)).attempts === maxMailAttempts);
    expect(await isSent(id)).toBe(false);
    server = await openMailServer();
  });

  test("an address that does not exist is not tried again", async () => {
    server.answer = (address) => (address.startsWith("nobody") ? refusal(550) : undefined);
    start();
    const [refused, taken] = [await write("nobody@example.com"), await write("amal@example.com")];
    await eventually("the other is sent", () => isSent(taken));
    await eventually("it is given up", async () => (await read(refused)).attempts === maxMailAttempts);
    expect(await isSent(refused)).toBe(false);
    expect(errors).toMatchObject([{ code: "mail_refused" }]);
  });

  test("a wrong password loses no mail: it is sent when the password is right", async () => {
    const guarded = await openMailServer("right");
    const url = new URL(guarded.url);
    url.password = "wrong";
    const id = await write("amal@example.com");
    start(smtpTransport({ url: url.href, from }), { firstRetryMs: 500 });
    await eventually("it was refused", () => errors.length > 0);
    await running.pop()?.stop();
    expect((await read(id)).attempts).toBeLessThan(maxMailAttempts);
    start(smtpTransport({ url: guarded.url, from }));
    await eventually("it is sent", () => isSent(id));
    await guarded.close();
  });

  test("nothing is sent before its time, and a mail whose process died is sent by another", async () => {
    const hourMs = 3_600_000;
    let clock = Date.now();
    const now = (): Date => new Date(clock);
    const dying: MailTransport = { send: () => new Promise(() => undefined) };
    const id = await write("amal@example.com");
    clock += 1_000;
    const claimed = startMail({
      store,
      transport: dying,
      onError: () => undefined,
      now,
      firstRetryMs: hourMs,
      idleMs: 20,
    });
    await eventually("it is claimed", async () => (await read(id)).attempts === 1);
    start(undefined, { now, firstRetryMs: hourMs });
    const later = await write("ben@example.com");
    await eventually("the next is sent", () => isSent(later));
    expect(await isSent(id)).toBe(false);
    clock += hourMs;
    await eventually("it is sent by the other", () => isSent(id));
    void claimed.stop();
  });

  test("without a mail server the mailbox has it: what was written then is never sent later", async () => {
    start(mailboxTransport);
    const id = await write("amal@example.com");
    await eventually("it is marked", () => isSent(id));
    await running.pop()?.stop();
    start();
    const next = await write("ben@example.com");
    await eventually("the next is sent", () => isSent(next));
    expect(server.mails.map(({ to }) => to)).toEqual([["ben@example.com"]]);
  });

  test("no error of the transport names an address or the password", async () => {
    server.answer = () => refusal(450);
    start();
    await write("secret-person@example.com");
    await eventually("it was refused", () => errors.length > 0);
    const { errorFields } = await import("../../src/log/error-fields.ts");
    expect(JSON.stringify(errors.map((error) => errorFields(error)))).not.toContain("secret-person");
  });
});

test("the platform sends the mail of a creation over SMTP, and its log names nobody", async () => {
  const [store] = await storesUnderTest();
  const place = await store?.createPlace();
  if (place === undefined) throw new Error("there is always a store");
  const server = await openMailServer();
  const platform = await openPlatform(place, { smtp: { url: server.url, from } });
  const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  const json = { ...offer, notifyEmailAddress: "desk@harbour-hotels.example" };
  expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  await eventually("it arrives", () => server.mails.length > 0);
  expect(server.mails).toMatchObject([{ from, to: ["desk@harbour-hotels.example"] }]);
  await platform.close();
  expect(platform.logLines.join("")).not.toMatch(/desk@|harbour-hotels/);
  await server.close();
  await place.remove();
});
