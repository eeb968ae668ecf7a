import { setTimeout as sleep } from "node:timers/promises";
import { type Change, responseKey } from "../../reliability/crash-test/verify/verify-history.ts";

const key = "demo-key-harbour";
const password = "demo-password";
const workers = ["worker_amal", "worker_ben", "worker_cleo"];
const pauseMs = 250;

export interface Load {
  /** Every response of a worker, in order. */
  changes: readonly Change[];
  /** How often a session had ended, and another one was begun. */
  readonly sessionsEnded: number;
  /** Unexpected responses, by status and code. */
  unexpected: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

async function post(address: string, path: string, headers: Record<string, string>, json: unknown): Promise<Response> {
  return fetch(`${address}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(json),
    signal: AbortSignal.timeout(20_000),
  });
}

/** Saves the receiver's address on the profile of Harbour Hotels. */
export async function saveProfile(address: string, baseAddress: string, secret: string): Promise<void> {
  const signedIn = await post(
    address,
    "/portal/session",
    {},
    { emailAddress: "hana@harbour-hotels.example", password },
  );
  const { token } = (await signedIn.json()) as { token: string };
  const response = await fetch(`${address}/portal/profile`, {
    method: "PUT",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ baseAddress, secret, suggestsContacts: false }),
  });
  if (!response.ok) throw new Error(`The profile is not saved: ${response.status} ${await response.text()}`);
}

/** Each worker changes the response to two offers again and again. @param addresses of the platform's processes, asked in turn */
export async function startLoad(addresses: readonly string[]): Promise<Load> {
  const changes: Change[] = [];
  const unexpected = new Map<string, number>();
  let sessionsEnded = 0;
  let isStopping = false;
  const offerIds: string[] = [];
  for (const title of ["Kitchen help", "Bar"]) {
    const offer = { createdByUserId: "user_hana", title, workerIds: workers };
    const response = await post(addresses[0] ?? "", "/offer", { "x-ue-api-subscription-key": key }, offer);
    offerIds.push(((await response.json()) as { id: string }).id);
  }

  const note = async (response: Response): Promise<void> => {
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    const what = `${response.status} ${code}`;
    unexpected.set(what, (unexpected.get(what) ?? 0) + 1);
  };

  const actAs = async (workerId: string): Promise<void> => {
    let token: string | undefined;
    for (let turn = 0; !isStopping; ) {
      await sleep(pauseMs);
      const address = addresses[turn % addresses.length] ?? "";
      if (token === undefined) {
        // At the process that ended the session: one whose clock is behind would begin another that has ended there.
        const response = await post(address, "/worker-app/session", {}, { workerId, password });
        if (response.ok) ({ token } = (await response.json()) as { token: string });
        else await note(response);
        continue;
      }
      const offerId = offerIds[turn % offerIds.length] ?? "";
      const changeKey = responseKey(offerId, workerId);
      const last = changes.findLast((each) => each.key === changeKey);
      const isAccepted = last?.word === "accepted";
      const change = { key: changeKey, word: isAccepted ? "rejected" : "accepted", isAcked: false, doubts: 0 };
      const path = `/worker-app/offers/${offerId}/${isAccepted ? "reject" : "apply"}`;
      const response = await post(address, path, { authorization: `Bearer ${token}` }, {});
      if (response.status === 401) {
        sessionsEnded++;
        token = undefined;
        continue;
      }
      turn++;
      if (response.ok) {
        await response.arrayBuffer();
        changes.push({ ...change, isAcked: true });
      } else await note(response);
    }
  };
  const acting = workers.map(actAs);
  return {
    changes,
    unexpected,
    get sessionsEnded() {
      return sessionsEnded;
    },
    async stop() {
      isStopping = true;
      await Promise.all(acting);
    },
  };
}
