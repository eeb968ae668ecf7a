import { afterAll, beforeAll, expect } from "vitest";
import { secret } from "../contract/harbour-fixture.ts";
import { openPlatform, type PlatformResponse, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import type { StoreUnderTest, TestDatabase } from "../support/stores/stores.ts";

/** A person that an organisation suggests. */
export interface SuggestedPerson {
  name: string;
  emailAddress: string;
}

export const dayMs = 24 * 60 * 60 * 1_000;
export const hana = "hana@harbour-hotels.example";
export const bo = "bo@bistro-group.example";
export const ada = "ada@crew-agency.example";

/** A platform with a clock that tests advance, and endpoints of Harbour Hotels and Bistro Group that suggest people. */
export interface InvitationsUnderTest {
  readonly database: TestDatabase;
  readonly platform: PlatformUnderTest;
  readonly harbour: Receiver;
  readonly bistro: Receiver;
  now(): Date;
  advance(ms: number): void;
  /** Restarts the platform. @param meanwhile runs while it is stopped */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Opens a new session. @returns the session token */
  signIn(emailAddress: string): Promise<string>;
  /** Makes an endpoint suggest these people. @default Harbour Hotels' endpoint */
  suggest(people: readonly SuggestedPerson[], receiver?: Receiver): void;
  search(token: string, organisationIds?: unknown): Promise<PlatformResponse>;
  invite(token: string, people: readonly SuggestedPerson[], organisationId?: string): Promise<PlatformResponse>;
  /** Signs in and searches, with these people as the result. @returns the session token */
  signInAndSearch(signInAddress: string, people: readonly SuggestedPerson[]): Promise<string>;
  readMailsTo(emailAddress: string): Promise<{ subject: string; body: string }[]>;
  /** Creates a person with a new email address. */
  createPerson(changes?: Partial<SuggestedPerson>): SuggestedPerson;
}

/** Opens a platform for the tests in a describe block. */
export function useInvitations(createDatabase: StoreUnderTest["createDatabase"]): InvitationsUnderTest {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let harbour: Receiver;
  let bistro: Receiver;
  let clockMs = Date.now();
  const now = (): Date => new Date(clockMs);

  beforeAll(async () => {
    database = await createDatabase();
    platform = await openPlatform(database, {}, now);
    harbour = await openReceiver(respondWith(200, {}, "[]"));
    bistro = await openReceiver(respondWith(200, {}, "[]"));
    for (const [signInAddress, { baseAddress }] of [
      [hana, harbour],
      [bo, bistro],
    ] as const) {
      const token = await signIn(signInAddress);
      const json = { baseAddress, secret, suggestsContacts: true };
      const { status } = await platform.call("PUT", "/portal/profile", { token, json });
      expect(status).toBe(200);
    }
  });
  afterAll(async () => {
    await platform.close();
    await Promise.all([harbour.close(), bistro.close()]);
    await database.remove();
  });

  async function signIn(emailAddress: string): Promise<string> {
    const json = { emailAddress, password: "demo-password" };
    return (await platform.call("POST", "/portal/session", { json })).json<{ token: string }>().token;
  }
  const suggest = (people: readonly SuggestedPerson[], receiver = harbour): void => {
    receiver.respond = respondWith(200, {}, JSON.stringify(people.map((person) => ({ ...person, ratings: [] }))));
  };
  const search = (token: string, organisationIds: unknown = ["org_harbour"]): Promise<PlatformResponse> =>
    platform.call("POST", "/portal/suggestions/search", { token, json: { organisationIds } });
  const invite = (
    token: string,
    people: readonly SuggestedPerson[],
    organisationId = "org_harbour",
  ): Promise<PlatformResponse> =>
    platform.call("POST", "/portal/invitations", { token, json: { organisationId, people } });
  async function signInAndSearch(signInAddress: string, people: readonly SuggestedPerson[]): Promise<string> {
    const token = await signIn(signInAddress);
    suggest(people);
    expect((await search(token)).status).toBe(200);
    return token;
  }
  const readMailsTo = async (emailAddress: string): Promise<{ subject: string; body: string }[]> => {
    const { mails } = (await platform.call("GET", "/portal/mailbox", { token: await signIn(hana) })).json<{
      mails: { to: string; subject: string; body: string }[];
    }>();
    return mails.filter(({ to }) => to === emailAddress);
  };
  let personCount = 0;
  const createPerson = (changes: Partial<SuggestedPerson> = {}): SuggestedPerson => {
    personCount += 1;
    return { name: "Dana Kim", emailAddress: `dana${personCount}@example.com`, ...changes };
  };
  return {
    get database() {
      return database;
    },
    get platform() {
      return platform;
    },
    get harbour() {
      return harbour;
    },
    get bistro() {
      return bistro;
    },
    advance(ms) {
      clockMs += ms;
    },
    async restart(meanwhile = async () => undefined) {
      await platform.close();
      await meanwhile();
      platform = await openPlatform(database, {}, now);
    },
    now,
    signIn,
    suggest,
    search,
    invite,
    signInAndSearch,
    readMailsTo,
    createPerson,
  };
}
