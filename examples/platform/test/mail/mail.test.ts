import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { smtpTransport } from "../../src/mail/smtp-transport.ts";
import {
  emailQueue,
  type MailOptions,
  type MailTransport,
  mailboxTransport,
  maxMailAttempts,
  startMail,
} from "../../src/mail/start-mail.ts";
import { enqueueEmails } from "../../src/mail/write-mails.ts";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases, openLeases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { virtualTime } from "../support/virtual-time.ts";

/** A mail server on loopback that records the emails it accepts. */
interface MailServer {
  url: string;
  mails: { from: string; to: string[]; text: string }[];
  /** Decides about each recipient from now on: returning an error rejects it. */
  respond: (address: string) => Error | undefined;
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
    onRcptTo: ({ address }, _session, done) => done(server.respond(address)),
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
    respond: () => undefined,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
  return server;
}

const from = "offers@platform.example";

describe.each(await anyStore())("mail on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let server: MailServer;
  let transports: MailTransport[];

  beforeEach(async () => {
    server = await openMailServer();
    transports = [];
  });
  afterEach(async () => {
    await fixture.reset();
    await Promise.all(transports.map((transport) => transport.close?.()));
    await server.close();
  });

  const start = (transport = smtpTransport({ url: server.url, from }), options: Partial<MailOptions> = {}): Loop => {
    transports.push(transport);
    const { store, leases, errors } = fixture;
    const onError = (error: unknown): void => void errors.push(error);
    return fixture.adopt(startMail({ store, leases, transport, onError, firstRetryMs: 20, ...options }));
  };
  const write = (to: string, subject = "Offer created", body = "The offer was created."): Promise<number> =>
    fixture.store.transaction(async (trx) => {
      await enqueueEmails(trx, [{ to_address: to, subject, body }]);
      const last = trx.selectFrom("mails").select("id").orderBy("id", "desc").limit(1);
      return (await last.executeTakeFirstOrThrow()).id;
    });
  const writeMany = async (count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await write(`person-${index}@example.com`));
    return ids;
  };
  const read = (id: number) =>
    fixture.store.db.selectFrom("mails").select(["sent_at", "attempts"]).where("id", "=", id).executeTakeFirstOrThrow();
  const isSent = async (id: number): Promise<boolean> => (await read(id)).sent_at !== null;

  test("is sent to its address once, with a unique id [D-78]", async () => {
    start();
    const ids = await writeMany(25);
    await eventually("all are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(ids.map((_, i) => `person-${i}@example.com`).sort());
    expect(new Set(server.mails.map(({ from: sender }) => sender))).toEqual(new Set([from]));
    const messageIds = server.mails.map(({ text }) => /^Message-ID: (<mail-\S+@platform\.example>)/m.exec(text)?.[1]);
    expect(new Set(messageIds).size).toBe(25);
    expect(server.mails[0]?.text).toMatch(/^Subject: Offer created\r$/m);
    expect(server.mails[0]?.text).toContain("The offer was created.");
  });

  test("is sent once by two processes", async () => {
    const ids = await writeMany(30);
    const leases = await openLeases(fixture.store, { onError: (error) => fixture.errors.push(error) });
    start(undefined, { firstRetryMs: 60_000 });
    const second = start(undefined, { leases, firstRetryMs: 60_000 });
    await eventually("all are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails).toHaveLength(30);
    await second.stop();
    await leases.stop();
  });

  test("treats an address with a comma as one address, and removes line breaks from a subject", async () => {
    start();
    const id = await write("a,b@example.com", "Hello\r\nBcc: c@example.com");
    await eventually("it is sent", () => isSent(id));
    expect(server.mails).toMatchObject([{ to: ['"a,b"@example.com'] }]);
    expect(server.mails[0]?.text).not.toMatch(/^Bcc:/im);
  });

  test("is retried with the same Message-ID when the mail server is busy [D-78]", async () => {
    let refusals = 2;
    server.respond = () => (refusals-- > 0 ? refusal(450) : undefined);
    start();
    const id = await write("amal@example.com");
    await eventually("it is sent", () => isSent(id));
    expect((await read(id)).attempts).toBe(3);
    expect(fixture.errors).toHaveLength(2);
    expect(server.mails).toHaveLength(1);
  });

  test("is retried when the mail server is unavailable", async () => {
    const { url } = server;
    await server.close();
    start(smtpTransport({ url, from }), { firstRetryMs: 1 });
    const id = await write("amal@example.com");
    await eventually("it is given up", async () => (await read(id)).attempts === maxMailAttempts);
    expect(await isSent(id)).toBe(false);
    server = await openMailServer();
  });

  test("is not retried for an address that does not exist [D-78]", async () => {
    server.respond = (address) => (address.startsWith("unknown") ? refusal(550) : undefined);
    start();
    const [refused, taken] = [await write("unknown@example.com"), await write("amal@example.com")];
    await eventually("the other is sent", () => isSent(taken));
    await eventually("it is given up", async () => (await read(refused)).attempts === maxMailAttempts);
    expect(await isSent(refused)).toBe(false);
    expect(fixture.errors).toMatchObject([{ code: "mail_rejected" }]);
  });

  test("is kept when the password is wrong, and sent when it is correct", async () => {
    const guarded = await openMailServer("right");
    const url = new URL(guarded.url);
    url.password = "wrong";
    const id = await write("amal@example.com");
    const mail = start(smtpTransport({ url: url.href, from }), { firstRetryMs: 500 });
    await eventually("it was refused", () => fixture.errors.length > 0);
    await mail.stop();
    expect((await read(id)).attempts).toBeLessThan(maxMailAttempts);
    start(smtpTransport({ url: guarded.url, from }));
    await eventually("it is sent", () => isSent(id));
    await guarded.close();
  });

  test("is not retried early, and each pause is three times as long", async () => {
    const time = virtualTime(fixture, { queue: "mails" });
    const hourMs = 3_600_000;
    server.respond = (address) => (address.startsWith("amal") ? refusal(450) : undefined);
    start(undefined, { firstRetryMs: hourMs });
    const refused = await write("amal@example.com");
    for (const [index, hours] of [1, 3].entries()) {
      const other = await write("ben@example.com");
      await eventually("the other is sent", () => isSent(other));
      await time.untilIdle();
      const pauseMs = Number(await time.nextDueAt()) - time.now().getTime();
      expect(pauseMs).toBeGreaterThan((hours - 0.1) * hourMs);
      expect(pauseMs).toBeLessThanOrEqual(hours * hourMs + 1_000);
      expect(await read(refused)).toEqual({ sent_at: null, attempts: index + 1 });
      await time.advance(hours * hourMs);
    }
    server.respond = () => undefined;
    await time.advanceUntil(() => isSent(refused));
    expect(server.mails.filter(({ to }) => to.includes("amal@example.com"))).toHaveLength(1);
  });

  test("is sent once by another process when its process died and the lease ended", async () => {
    const id = await write("amal@example.com");
    const dead = new Leases(fixture.store, 500, (error) => fixture.errors.push(error));
    expect(await claimRows(fixture.store, dead, emailQueue, 10)).toHaveLength(1);
    start();
    const other = await write("ben@example.com");
    await eventually("the next is sent", () => isSent(other));
    await eventually("it is sent by the other", () => isSent(id));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(["amal@example.com", "ben@example.com"]);
  });

  test("goes to the mailbox without a mail server, and is never sent later", async () => {
    const mail = start(mailboxTransport);
    const id = await write("amal@example.com");
    await eventually("it is marked", () => isSent(id));
    await mail.stop();
    start();
    const next = await write("ben@example.com");
    await eventually("the next is sent", () => isSent(next));
    expect(server.mails.map(({ to }) => to)).toEqual([["ben@example.com"]]);
  });

  test("hides addresses and the password in transport errors", async () => {
    server.respond = () => refusal(450);
    start();
    await write("secret-person@example.com");
    await eventually("it was refused", () => fixture.errors.length > 0);
    const { errorFields } = await import("../../src/observability/log.ts");
    expect(JSON.stringify(fixture.errors.map((error) => errorFields(error)))).not.toContain("secret-person");
  });
});

test("the platform sends the mail of a creation over SMTP and logs no personal data", async () => {
  const [store] = await anyStore();
  const database = await store?.createDatabase();
  if (database === undefined) throw new Error("no store to test");
  const server = await openMailServer();
  const platform = await openPlatform(database, { smtp: { url: server.url, from } });
  const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  const json = { ...offer, notifyEmailAddress: "desk@harbour-hotels.example" };
  expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  await eventually("it arrives", () => server.mails.length > 0);
  expect(server.mails).toMatchObject([{ from, to: ["desk@harbour-hotels.example"] }]);
  await platform.close();
  expect(platform.logLines.join("")).not.toMatch(/desk@|harbour-hotels/);
  await server.close();
  await database.remove();
});
