import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSmtpTransport } from "../../src/mail/smtp-transport.ts";
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
import { openPageClient } from "../pages/page-client.ts";
import { createSignal } from "../support/create-signal.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime } from "../support/virtual-time.ts";

/** A mail server on loopback that records the emails it accepts. */
interface MailServer {
  url: string;
  mails: { from: string; to: string[]; text: string }[];
  /** Called for each recipient. Returning an error rejects the recipient. */
  respond: (address: string) => Error | undefined | Promise<undefined>;
  /** Called for each sender. Returning an error rejects the sender. */
  respondToSender: () => Error | undefined;
  /** Called for each email. Returning an error rejects the email. */
  respondToData: () => Error | undefined;
  close(): Promise<void>;
}

const createRejection = (responseCode: number, text = "rejected"): Error =>
  Object.assign(new Error(text), { responseCode });

/** Starts a mail server. If `password` is set, clients must authenticate with it. */
async function startMailServer(password?: string): Promise<MailServer> {
  const smtp = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    authOptional: password === undefined,
    onAuth(credentials, _session, done) {
      if (credentials.password === password) done(null, { user: credentials.username });
      else done(new Error("wrong password"));
    },
    onMailFrom: (_address, _session, done) => done(server.respondToSender()),
    onRcptTo: async ({ address }, _session, done) => done(await server.respond(address)),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const rejection = server.respondToData();
        if (rejection !== undefined) return done(rejection);
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
    respondToSender: () => undefined,
    respondToData: () => undefined,
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
    server = await startMailServer();
    transports = [];
  });
  afterEach(async () => {
    await fixture.reset();
    await Promise.all(transports.map((transport) => transport.close?.()));
    await server.close();
  });

  const startMailQueue = (
    transport = createSmtpTransport({ url: server.url, from }),
    options: Partial<MailOptions> = {},
  ): Loop => {
    transports.push(transport);
    const { store, leases, errors } = fixture;
    const onError = (error: unknown): void => void errors.push(error);
    return fixture.adopt(startMail({ store, leases, transport, onError, firstRetryMs: 20, ...options }));
  };
  const writeMail = (to: string, subject = "Offer created", body = "The offer was created."): Promise<number> =>
    fixture.store.transaction(async (trx) => {
      await enqueueEmails(trx, [{ to_address: to, subject, body }]);
      const lastMail = trx.selectFrom("mails").select("id").orderBy("id", "desc").limit(1);
      return (await lastMail.executeTakeFirstOrThrow()).id;
    });
  const writeMails = async (count: number): Promise<number[]> => {
    const ids: number[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await writeMail(`person-${index}@example.com`));
    return ids;
  };
  const readMail = (id: number) =>
    fixture.store.db.selectFrom("mails").select(["sent_at", "attempts"]).where("id", "=", id).executeTakeFirstOrThrow();
  const isSent = async (id: number): Promise<boolean> => (await readMail(id)).sent_at !== null;

  test("each mail is sent to its address once, with a unique Message-ID [D-78]", async () => {
    startMailQueue();
    const ids = await writeMails(25);
    await eventually("all mails are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(ids.map((_, i) => `person-${i}@example.com`).sort());
    expect(new Set(server.mails.map(({ from: sender }) => sender))).toEqual(new Set([from]));
    const messageIds = server.mails.map(({ text }) => /^Message-ID: (<mail-\S+@platform\.example>)/m.exec(text)?.[1]);
    expect(new Set(messageIds).size).toBe(25);
    expect(server.mails[0]?.text).toMatch(/^Subject: Offer created\r$/m);
    expect(server.mails[0]?.text).toContain("The offer was created.");
  });

  test("each mail is marked as automatic, so that absence notices are not sent back [D-78]", async () => {
    startMailQueue();
    const id = await writeMail("amal@example.com");
    await eventually("the mail is sent", () => isSent(id));
    // RFC 3834, 5.
    expect(server.mails[0]?.text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  });

  test("two processes send each mail once", async () => {
    const ids = await writeMails(30);
    const leases = await openLeases(fixture.store, { onError: (error) => fixture.errors.push(error) });
    startMailQueue(undefined, { firstRetryMs: 60_000 });
    const secondLoop = startMailQueue(undefined, { leases, firstRetryMs: 60_000 });
    await eventually("all mails are sent", async () => (await Promise.all(ids.map(isSent))).every(Boolean));
    expect(server.mails).toHaveLength(30);
    await secondLoop.stop();
    await leases.stop();
  });

  test("a mail address with a comma stays one address, and line breaks are removed from a subject", async () => {
    startMailQueue();
    const id = await writeMail("a,b@example.com", "Hello\r\nBcc: c@example.com");
    await eventually("the mail is sent", () => isSent(id));
    expect(server.mails).toMatchObject([{ to: ['"a,b"@example.com'] }]);
    expect(server.mails[0]?.text).not.toMatch(/^Bcc:/im);
  });

  test("a mail is retried and sent once when the mail server was busy [D-78]", async () => {
    let remainingRejections = 2;
    server.respond = () => {
      if (remainingRejections === 0) return undefined;
      remainingRejections -= 1;
      return createRejection(450);
    };
    startMailQueue();
    const id = await writeMail("amal@example.com");
    await eventually("the mail is sent", () => isSent(id));
    expect((await readMail(id)).attempts).toBe(3);
    expect(fixture.errors).toHaveLength(2);
    expect(server.mails).toHaveLength(1);
  });

  test("a mail is sent once when the mail server responds only after the time limit, because its connection has been closed [D-78]", async () => {
    let recipientCount = 0;
    const [mayRespond, respond] = createSignal();
    server.respond = async () => {
      recipientCount += 1;
      if (recipientCount === 1) await mayRespond;
      return undefined;
    };
    startMailQueue(createSmtpTransport({ url: server.url, from, timeoutMs: 500 }));
    const id = await writeMail("amal@example.com");
    await eventually("the time limit has passed", () => fixture.errors.length > 0);
    respond();
    const otherId = await writeMail("ben@example.com");
    for (const sentId of [id, otherId]) await eventually("the mail is sent", () => isSent(sentId));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(["amal@example.com", "ben@example.com"]);
  });

  test("a mail fails after the last attempt if the mail server is unavailable", async () => {
    const { url } = server;
    await server.close();
    startMailQueue(createSmtpTransport({ url, from }), { firstRetryMs: 1 });
    const id = await writeMail("amal@example.com");
    await eventually("the mail has failed", async () => (await readMail(id)).attempts === maxMailAttempts);
    expect(await isSent(id)).toBe(false);
    server = await startMailServer();
  });

  // RFC 3463 defines the enhanced status codes; Postfix, Gmail and Exchange send these texts.
  test.each([
    [550, "5.1.1 <unknown@example.com>: Recipient address rejected: User unknown"],
    [550, "5.2.1 The email account that you tried to reach is disabled"],
    [553, "5.1.3 The recipient address is not a valid RFC 5321 address"],
    [556, "5.1.10 Recipient address has a null MX"],
  ])("a mail whose recipient is rejected with %i %s is not retried [D-78]", async (code, text) => {
    server.respond = (address) => (address.startsWith("unknown") ? createRejection(code, text) : undefined);
    startMailQueue();
    const [rejectedId, acceptedId] = [await writeMail("unknown@example.com"), await writeMail("amal@example.com")];
    await eventually("the accepted mail is sent", () => isSent(acceptedId));
    await eventually(
      "the rejected mail has failed",
      async () => (await readMail(rejectedId)).attempts === maxMailAttempts,
    );
    expect(await isSent(rejectedId)).toBe(false);
    expect(fixture.errors).toMatchObject([{ code: "mail_rejected" }]);
  });

  test.each([
    ["respondToSender", 554, "5.7.1 Service unavailable; client host is blocked"],
    ["respondToSender", 530, "5.7.0 Must issue a STARTTLS command first"],
    ["respondToSender", 501, "5.1.7 Bad sender address syntax"],
    ["respondToSender", 553, "5.7.1 Sender address rejected: not owned by user offers"],
    ["respondToSender", 550, "5.1.1 Sender unknown"],
    ["respond", 550, "5.4.5 Daily user sending quota exceeded"],
    ["respond", 554, "5.7.1 Relay access denied"],
    ["respond", 552, "5.2.2 Mailbox full"],
    ["respond", 550, "rejected for policy reasons"],
    // Postfix rejects senders as late as RCPT TO.
    ["respond", 550, "5.1.0 <offers@platform.example>: Sender address rejected: User unknown"],
    ["respond", 550, "5.1.8 <offers@platform.example>: Sender address rejected: Domain not found"],
    ["respondToData", 554, "5.7.1 Message rejected as spam"],
    ["respondToData", 550, "5.1.1 Delivery is not possible at the moment"],
  ] as const)("a mail is retried when the server answers %s with %i %s [D-78]", async (step, code, text) => {
    let remainingRejections = 2;
    server[step] = () => {
      if (remainingRejections === 0) return undefined;
      remainingRejections -= 1;
      return createRejection(code, text);
    };
    startMailQueue();
    const id = await writeMail("amal@example.com");
    await eventually("the mail was rejected", () => fixture.errors.length > 0);
    expect(fixture.errors[0]).not.toMatchObject({ code: "mail_rejected" });
    await eventually("the mail is sent", () => isSent(id));
    expect((await readMail(id)).attempts).toBe(3);
  });

  test("a mail stays pending while the SMTP password is wrong, and is sent once the password is correct", async () => {
    const protectedServer = await startMailServer("right");
    const url = new URL(protectedServer.url);
    url.password = "wrong";
    const id = await writeMail("amal@example.com");
    const mail = startMailQueue(createSmtpTransport({ url: url.href, from }), { firstRetryMs: 500 });
    await eventually("the mail was rejected", () => fixture.errors.length > 0);
    await mail.stop();
    expect((await readMail(id)).attempts).toBeLessThan(maxMailAttempts);
    startMailQueue(createSmtpTransport({ url: protectedServer.url, from }));
    await eventually("the mail is sent", () => isSent(id));
    await protectedServer.close();
  });

  test("a mail is not retried early, and each pause is three times as long as the previous pause", async () => {
    const time = createVirtualTime(fixture, { queue: "mails" });
    const hourMs = 3_600_000;
    server.respond = (address) => (address.startsWith("amal") ? createRejection(450) : undefined);
    startMailQueue(undefined, { firstRetryMs: hourMs });
    const rejectedId = await writeMail("amal@example.com");
    for (const [index, hours] of [1, 3].entries()) {
      const otherId = await writeMail("ben@example.com");
      await eventually("the mail to Ben is sent", () => isSent(otherId));
      await time.waitUntilIdle();
      const pauseMs = Number(await time.nextDueAt()) - time.now().getTime();
      expect(pauseMs).toBeGreaterThan((hours - 0.1) * hourMs);
      expect(pauseMs).toBeLessThanOrEqual(hours * hourMs + 1_000);
      expect(await readMail(rejectedId)).toEqual({ sent_at: null, attempts: index + 1 });
      await time.advance(hours * hourMs);
    }
    server.respond = () => undefined;
    await time.advanceUntil(() => isSent(rejectedId));
    expect(server.mails.filter(({ to }) => to.includes("amal@example.com"))).toHaveLength(1);
  });

  test("a mail whose process died is sent once by a different process after the lease has ended", async () => {
    const id = await writeMail("amal@example.com");
    const deadLeases = new Leases(fixture.store, 500, (error) => fixture.errors.push(error));
    expect(await claimRows(fixture.store, deadLeases, emailQueue, 10)).toHaveLength(1);
    startMailQueue();
    const otherId = await writeMail("ben@example.com");
    await eventually("the other mail is sent", () => isSent(otherId));
    await eventually("the first mail is sent", () => isSent(id));
    expect(server.mails.map(({ to }) => to.join()).sort()).toEqual(["amal@example.com", "ben@example.com"]);
  });

  test("without a mail server, a mail goes to the mailbox and is never sent later", async () => {
    const mail = startMailQueue(mailboxTransport);
    const id = await writeMail("amal@example.com");
    await eventually("the mail is marked as sent", () => isSent(id));
    await mail.stop();
    startMailQueue();
    const nextId = await writeMail("ben@example.com");
    await eventually("the next mail is sent", () => isSent(nextId));
    expect(server.mails.map(({ to }) => to)).toEqual([["ben@example.com"]]);
  });

  test("transport errors are logged without mail addresses", async () => {
    server.respond = () => createRejection(450);
    startMailQueue();
    await writeMail("secret-person@example.com");
    await eventually("the mail was rejected", () => fixture.errors.length > 0);
    const { errorFields } = await import("../../src/observability/log.ts");
    expect(JSON.stringify(fixture.errors.map((error) => errorFields(error)))).not.toContain("secret-person");
  });
});

test("the platform sends the mail about a new offer over SMTP, and does not log personal data", async () => {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const server = await startMailServer();
  const platform = await openPlatform(database, { smtp: { url: server.url, from } });
  const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  const json = { ...offer, notifyEmailAddress: "desk@harbour-hotels.example" };
  expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  await eventually("the mail arrives", () => server.mails.length > 0);
  expect(server.mails).toMatchObject([{ from, to: ["desk@harbour-hotels.example"] }]);
  await platform.close();
  expect(platform.logLines.join("")).not.toMatch(/desk@|harbour-hotels/);
  await server.close();
  await database.remove();
});

interface Mailbox {
  mails: { to: string; createdAt: string; sentAt: string | null; hasFailed: boolean }[];
}

test("the mailbox shows which mail the mail server has rejected", async () => {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const server = await startMailServer();
  server.respond = (address) => (address.startsWith("old-desk") ? createRejection(550, "5.1.1 unknown") : undefined);
  const platform = await openPlatform(database, { smtp: { url: server.url, from }, showAllMail: true });
  const token = await platform.signInPerson("hana@harbour-hotels.example");
  const readMailbox = async () => (await platform.call("GET", "/portal/mailbox", { token })).json<Mailbox>().mails;
  for (const name of ["old-desk", "desk"]) {
    const notifyEmailAddress = `${name}@harbour-hotels.example`;
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"], notifyEmailAddress };
    expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
  }
  await eventually("no mail is pending", async () =>
    (await readMailbox()).every(({ sentAt, hasFailed }) => sentAt !== null || hasFailed),
  );
  expect(await readMailbox()).toMatchObject([
    { to: "desk@harbour-hotels.example", sentAt: expect.any(String), hasFailed: false },
    { to: "old-desk@harbour-hotels.example", sentAt: null, hasFailed: true },
  ]);
  const hana = openPageClient(platform.address);
  await hana.signIn("hana@harbour-hotels.example");
  const { text } = await hana.get("/mailbox");
  expect(text).toMatch(/to old-desk@[^<]*<time[^<]*<\/time>\. Not sent, because the mail server did not accept it\./);
  expect(text).not.toMatch(/to desk@[^<]*<time[^<]*<\/time>\. Not sent/);
  await platform.close();
  await server.close();
  await database.remove();
});
