// Tests the offer and the four operations field by field, against the tables in spec/interface.md.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectFields, invalidValues, readFieldsAfter } from "./contract-document.ts";
import { type HarbourFixture, openHarbourFixture } from "./harbour-fixture.ts";

const creation = {
  createdByUserId: "user_hana",
  title: "Küche 厨房 👩‍🍳",
  details: "Black trousers.\n\n\tBring <b>knives</b> & patience; '\"\\ ☕",
  locationPlaceId: "place_harbour_kitchen",
  notifyEmailAddress: "hana@harbour-hotels.example",
  workerIds: ["worker_cleo", "worker_amal"],
  events: [
    { start: "2099-05-02T16:00:00Z", end: "2099-05-02T22:00:00Z" },
    { start: "2099-05-01T16:00:00.250Z", end: "2099-05-01T22:00:00+00:00" },
  ],
};

const slot = creation.events[0];

describe("the contract's offers", () => {
  let fixture: HarbourFixture;
  beforeAll(async () => {
    fixture = await openHarbourFixture({ bodyLimitBytes: 1024 * 1024 });
  });
  afterAll(() => fixture.close());

  const create = (changes: object = {}) => fixture.callApi("POST", "/offer", { json: { ...creation, ...changes } });
  const readInvalidFields = async (changes: object) => {
    const response = await create(changes);
    expect(response.status).toBe(400);
    return Object.keys(response.json<{ errors: object }>().errors);
  };
  const read = async (offerId: string) =>
    (await fixture.callApi("GET", `/offer/${offerId}`)).json<Record<string, unknown>>();
  const createAndRead = async (changes: object = {}) => read((await create(changes)).json<{ id: string }>().id);

  test("a creation accepts every documented field and no others [D-01] [interface: Operations CreateOffer]", async () => {
    expect(Object.keys(creation)).toEqual(readFieldsAfter("### Offer creation body").map(({ field }) => field));
    expect((await create()).status).toBe(201);
    expect(await readInvalidFields({ unknown: 1 })).toEqual(["unknown"]);
  });

  test.each(readFieldsAfter("### Offer creation body"))(
    "the creation field $field accepts $type and nothing else [interface: Resources 1] [interface: Creation createdByUserId, title, details, locationPlaceId, notifyEmailAddress, workerIds, events]",
    async (row) => {
      const optional = ["details", "locationPlaceId", "notifyEmailAddress", "events"];
      // null means that an optional field is absent (D-94).
      for (const value of invalidValues(row).filter((value) => value !== null || !optional.includes(row.field))) {
        const fields = (await readInvalidFields({ [row.field]: value })).map((name) => name.split(/[.[]/)[0]);
        expect([value, ...new Set(fields)]).toEqual([value, row.field]);
      }
    },
  );

  test.each(["start", "end"])(
    "the %s of an event is required, and is a date-time in UTC [D-01] [D-33] [D-96] [interface: Resources 1b] [interface: Creation 1]",
    async (name) => {
      for (const value of [
        undefined,
        null,
        7,
        "",
        "2099-05-01",
        "2099-05-01T18:00:00",
        "2099-05-01T18:00:00+0200",
        "soon",
      ])
        expect(await readInvalidFields({ events: [slot, { ...slot, [name]: value }] })).toEqual([`events[1].${name}`]);
      // Any offset is accepted, and is stored as UTC (D-96).
      const day = { start: "2099-05-01T00:00:00Z", end: "2099-05-02T00:00:00Z" };
      for (const value of [
        "2099-05-01T16:00Z",
        "2099-05-01T16:00:00-00:00",
        "2099-05-01t16:00:00z",
        "2099-05-01 16:00:00Z",
        "2099-05-01T18:00:00+02:00",
        "2099-04-30T23:30-16:30",
      ])
        expect(await createAndRead({ events: [{ ...day, [name]: value }] })).toMatchObject({
          events: [{ ...day, [name]: "2099-05-01T16:00:00Z" }],
        });
    },
  );

  test("only the creator, the title and a worker are required [D-01] [interface: Creation 2]", async () => {
    const required = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const creationStatus = async (json: object) => (await fixture.callApi("POST", "/offer", { json })).status;
    expect(await creationStatus(required)).toBe(201);
    for (const name of Object.keys(required))
      for (const absent of [undefined, null]) expect(await creationStatus({ ...required, [name]: absent })).toBe(400);
  });

  test("an optional field that is null is treated as absent, in the response and in the store [D-94]", async () => {
    const required = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const nulls = { details: null, locationPlaceId: null, notifyEmailAddress: null, events: null };
    const createAndReadInput = async (json: object) => {
      const { id } = (await fixture.callApi("POST", "/offer", { json })).json<{ id: string }>();
      const { id: _, createdAt, recipients, ...offer } = await read(id);
      return offer;
    };
    expect(await createAndReadInput({ ...required, ...nulls })).toStrictEqual(await createAndReadInput(required));
    for (const name of Object.keys(nulls))
      expect((await fixture.callApi("POST", "/offer", { json: { ...required, [name]: null } })).status).toBe(201);
    expect(await readInvalidFields({ unknown: null })).toEqual(["unknown"]);
  });

  test("the creator must be a user of the organisation, and not a foreign user, a worker or an organisation [D-37] [interface: Creation createdByUserId]", async () => {
    for (const createdByUserId of ["user_bo", "worker_amal", "org_harbour", "demo-key-harbour", ""])
      expect(await readInvalidFields({ createdByUserId })).toEqual(["createdByUserId"]);
  });

  test("notifyEmailAddress gets one mail about the offer and one about its withdrawal [D-38] [interface: Creation notifyEmailAddress]", async () => {
    const readMailSubjects = async (address: string) =>
      (await fixture.callPortal("GET", "/mailbox"))
        .json<{ mails: { to: string; subject: string }[] }>()
        .mails.filter(({ to }) => to === address)
        .map(({ subject }) => subject);
    const { id } = (await create({ notifyEmailAddress: "chef@küche.example", title: "Mailed" })).json<{ id: string }>();
    await fixture.callApi("GET", `/offer/${id}/withdraw`);
    expect(await readMailSubjects("chef@küche.example")).toEqual(["Offer withdrawn: Mailed", "Offer created: Mailed"]);
  });

  test("the mail to notifyEmailAddress shows the title in one line and without links [D-38]", async () => {
    const title = "Bar\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example/login";
    expect((await create({ notifyEmailAddress: "desk@example.com", title })).status).toBe(201);
    const { mails } = (await fixture.callPortal("GET", "/mailbox")).json<{ mails: { to: string }[] }>();
    const line = "Bar Bcc: eve@ evil. example https: //evil. example/login";
    expect(mails.filter(({ to }) => to === "desk@example.com")).toMatchObject([
      {
        subject: `Offer created: ${line}`,
        body: expect.stringContaining(`The offer "${line}" was created and sent to 2 workers.\n`),
      },
    ]);
  });

  test("an offer has the documented fields with the documented types [interface: Resources 1, 1b] [interface: Offer id, title, details, isHistoric, widthdrawn, complete, locationPlaceId, createdAt, events, recipients] [interface: Recipient 1, id, workerId, name] [interface: States 1, 1b] [interface: Operations GetOffer]", async () => {
    const offer = await createAndRead();
    expectFields(offer, readFieldsAfter("### Offer (returned by"));
    for (const recipient of offer.recipients as unknown[])
      expectFields(recipient, readFieldsAfter("Recipient object:"));
  });

  test("title, details, place and events are returned exactly as created [D-33] [interface: Creation title, details, locationPlaceId, events] [interface: Offer title, details, locationPlaceId, events]", async () => {
    const { title, details, locationPlaceId, events } = creation;
    expect(await createAndRead()).toMatchObject({ title, details, locationPlaceId, events });
  });

  test("createdAt is the time of creation [interface: Offer createdAt]", async () => {
    const startedAt = Date.now();
    const createdAt = Date.parse(String((await createAndRead()).createdAt));
    expect(createdAt).toBeGreaterThanOrEqual(startedAt);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
  });

  test("an offer has one recipient per addressed worker, with its own id and the worker's id and name [D-30] [interface: Overview 1b] [interface: Offer recipients] [interface: Recipient id, workerId, name]", async () => {
    const offer = await createAndRead({ workerIds: ["worker_cleo", "worker_amal", "worker_cleo"] });
    const recipients = offer.recipients as { id: number; workerId: string; name: string }[];
    expect(recipients.map(({ workerId, name }) => [workerId, name])).toEqual([
      ["worker_cleo", "Cleo Martin"],
      ["worker_amal", "Amal Haddad"],
    ]);
    const otherRecipients = (await createAndRead()).recipients as { id: number }[];
    expect(new Set([...recipients, ...otherRecipients].map(({ id }) => id)).size).toBe(4);
  });

  test("every offer has a unique id that is safe in a path [interface: Offer id]", async () => {
    const [first, second] = [await createAndRead(), await createAndRead()];
    expect(first.id).not.toBe(second.id);
    expect(first.id).toMatch(/^[\w-]+$/);
  });

  test("a recipient starts with the response none and an empty confirmation [D-04] [D-05] [interface: Recipient response, confirmation]", async () => {
    const { recipients } = await createAndRead();
    expect(recipients).toMatchObject(Array(2).fill({ response: "none", confirmation: "" }));
  });

  test("a withdrawal sets the flag with the misspelt name widthdrawn [interface: Offer widthdrawn]", async () => {
    const { id, ...initialOffer } = await createAndRead();
    await fixture.callApi("GET", `/offer/${id}/withdraw`);
    expect([initialOffer, await read(String(id))]).toMatchObject([{ widthdrawn: false }, { widthdrawn: true }]);
    expect(Object.keys(initialOffer)).not.toContain("withdrawn");
  });

  test("a creation responds with 201, the id and the offer's location [D-02] [interface: Operations CreateOffer]", async () => {
    const response = await create();
    const { id } = response.json<{ id: string }>();
    expect([response.status, response.headers.get("location"), response.json()]).toEqual([201, `/offer/${id}`, { id }]);
  });

  test("a completion accepts an array of strings and responds with 204 without a body [D-03] [interface: States Complete offer] [interface: Operations CompleteOffer]", async () => {
    const { id } = (await create()).json<{ id: string }>();
    await fixture.callApp("worker_amal", "POST", `/offers/${id}/apply`);
    const complete = (json: unknown) => fixture.callApi("POST", `/offer/${id}/complete?api-version=1.0`, { json });
    for (const body of ["worker_amal", { workerIds: ["worker_amal"] }, [7], [["worker_amal"]], null])
      expect((await complete(body)).status).toBe(400);
    expect(await complete(["worker_amal"])).toMatchObject({ status: 204, text: "" });
  });

  test("a withdrawal is a GET without a body and responds with 200, and no other method withdraws [interface: Overview 4] [interface: States Withdraw offer] [interface: Operations WithdrawOffer, 1]", async () => {
    const { id } = (await create()).json<{ id: string }>();
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "HEAD"])
      expect((await fixture.callApi(method, `/offer/${id}/withdraw`)).status).toBe(405);
    expect(await read(id)).toMatchObject({ widthdrawn: false });
    expect(await fixture.callApi("GET", `/offer/${id}/withdraw`)).toMatchObject({ status: 200, text: "" });
    expect(await read(id)).toMatchObject({ widthdrawn: true });
  });

  test("complete requires api-version=1.0, which is optional for the other operations [D-27] [interface: Operations CompleteOffer] [interface: Versioning 1, 2]", async () => {
    const offerPath = (suffix: string, id: string) => `/offer/${id}${suffix}`;
    for (const [query, status] of [
      ["", 400],
      ["?api-version=1.0", 204],
    ] as const) {
      const { id } = (await create()).json<{ id: string }>();
      await fixture.callApp("worker_amal", "POST", `/offers/${id}/apply`);
      const completion = await fixture.callApi("POST", offerPath(`/complete${query}`, id), { json: ["worker_amal"] });
      expect(completion.status).toBe(status);
      expect((await fixture.callApi("POST", `/offer${query}`, { json: creation })).status).toBe(201);
      expect((await fixture.callApi("GET", offerPath(query, id))).status).toBe(200);
      expect((await fixture.callApi("GET", offerPath(`/withdraw${query}`, id))).status).toBe(200);
    }
  });

  test("an offer has at most 10,000 workers, 366 events, a title of 200 characters and details of 10,000 [D-24] [interface: Limits 1]", async () => {
    const limits = { workerIds: 10_000, events: 366, title: 200, details: 10_000 };
    const withSize = (name: string, count: number) => {
      if (name === "workerIds") return { workerIds: Array(count).fill("worker_amal") };
      if (name === "events") return { events: Array(count).fill(slot) };
      return { [name]: "x".repeat(count) };
    };
    for (const [name, limit] of Object.entries(limits)) {
      expect((await create(withSize(name, limit))).status).toBe(201);
      expect(await readInvalidFields(withSize(name, limit + 1))).toEqual([name]);
    }
  });

  test("a body of 1 MiB is accepted, and one byte more is rejected [D-24] [interface: Limits 1]", async () => {
    const body = JSON.stringify(creation);
    const withBodySize = (bytes: number) => ({
      body: body + " ".repeat(bytes - Buffer.byteLength(body)),
      headers: { "Content-Type": "application/json" },
    });
    expect((await fixture.callApi("POST", "/offer", withBodySize(1024 * 1024))).status).toBe(201);
    expect((await fixture.callApi("POST", "/offer", withBodySize(1024 * 1024 + 1))).status).toBe(413);
  });

  test("a key may send 200 simultaneous reads [D-54] [interface: Limits 1]", async () => {
    const { id } = (await create()).json<{ id: string }>();
    const responses = await Promise.all(Array.from({ length: 200 }, () => fixture.callApi("GET", `/offer/${id}`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("a start before today's midnight in UTC is rejected [D-29]", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const yesterday = new Date(Date.parse(today) - 1).toISOString();
    expect(await readInvalidFields({ events: [{ ...slot, start: yesterday }] })).toEqual(["events[0].start"]);
    expect((await create({ events: [{ ...slot, start: `${today}T00:00:00Z` }] })).status).toBe(201);
  });

  test("an email address has one @, text on both sides of it, and at most 254 characters [D-31]", async () => {
    const longest = `${"x".repeat(242)}@example.com`;
    for (const notifyEmailAddress of ["a@b", "δανάη@παράδειγμα.ελ", "o'neil+x@example.com", longest])
      expect((await create({ notifyEmailAddress })).status).toBe(201);
    for (const notifyEmailAddress of ["@b", "a@", "a@b@c", "a b@c", "a@b\u0007", `x${longest}`])
      expect(await readInvalidFields({ notifyEmailAddress })).toEqual(["notifyEmailAddress"]);
  });
});
