import { afterEach, beforeAll, beforeEach } from "vitest";
import { isSignedWith } from "../support/is-signed-with.ts";
import type { CallOptions, PlatformResponse, PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import type { StoreUnderTest } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

export const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** Responds with 401 unless the request is signed with `secret`. `GET /test` does not require a signature. */
export const requireSignature =
  (respond: Respond): Respond =>
  (request, response) => {
    if (request.url.endsWith("/test") || isSignedWith(secret, request)) respond(request, response);
    else response.writeHead(401).end();
  };

export const rating = { rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30" };
export const dana = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [rating] };

/** A platform, Hana's session, and Harbour Hotels' endpoint. Each test gets a new endpoint. */
export interface PortalUnderTest {
  readonly platform: PlatformUnderTest;
  readonly receiver: Receiver;
  /** Calls the platform as Hana, unless `options` contains a different token. */
  call(method: string, path: string, options?: CallOptions): Promise<PlatformResponse>;
  /** Saves the endpoint in the company profile. @param token a user's token @default Hana's */
  save(changes?: object, token?: string): Promise<PlatformResponse>;
}

/** Opens a platform for the tests in a describe block. */
export function usePortal(createDatabase: StoreUnderTest["createDatabase"]): PortalUnderTest {
  const platform = usePlatform({ createDatabase });
  let receiver: Receiver;
  let token: string;
  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  beforeEach(async () => {
    receiver = await openReceiver(requireSignature(respondWith(200)));
  });
  afterEach(() => receiver.close());

  const call = (method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, path, { token, ...options });
  const save = (changes: object = {}, userToken = token) => {
    const baseAddress = `${receiver.baseAddress}/hooks/`;
    return call("PUT", "/portal/profile", {
      token: userToken,
      json: { baseAddress, secret, suggestsContacts: false, ...changes },
    });
  };
  return {
    get platform() {
      return platform;
    },
    get receiver() {
      return receiver;
    },
    call,
    save,
  };
}
