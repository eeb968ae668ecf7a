import type { ContractFixture } from "../../../../packages/client/test/contract/fixture.ts";
import { eventually } from "../support/eventually.ts";
import { startProcess } from "../support/platform-process.ts";
import { anyStore } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";

/**
 * Starts a platform process as the fixture of the client's contract suite. The demo seed contains the organisations and workers of the suite.
 */
export async function platformFixture(dialect: "reference" | "live"): Promise<ContractFixture> {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const platform = startProcess(database, { OFFERS_DIALECT: dialect, OFFERS_SEED: testSeed });
  const baseUrl = await platform.waitForAddress();

  const call = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
    const response = await fetch(`${baseUrl}/worker-app${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return text === "" ? {} : JSON.parse(text);
  };
  const tokens = new Map<string, Promise<string>>();
  const signIn = async (workerId: string): Promise<string> =>
    (await call("POST", "/session", {}, { workerId, password: "demo-password" })).token;
  /** Returns a worker's authorization header. Each worker signs in once, because checking a password is deliberately slow. */
  const authorize = async (workerId: string) => {
    const token = tokens.get(workerId) ?? signIn(workerId);
    tokens.set(workerId, token);
    return { authorization: `Bearer ${await token}` };
  };

  return {
    dialect,
    baseUrl,
    fetch,
    async respond(offerId, workerId, response) {
      const action = response === "applied" ? "apply" : "reject";
      return (await call("POST", `/offers/${offerId}/${action}`, await authorize(workerId))).code ?? "done";
    },
    async notifications(offerId, workerId, count) {
      let reasons: string[] = [];
      await eventually(`${workerId} is notified`, async () => {
        const { notifications } = await call("GET", "/notifications", await authorize(workerId));
        const offerNotifications = notifications.filter(
          (notification: { offerId: string }) => notification.offerId === offerId,
        );
        reasons = offerNotifications.map(({ reason }: { reason: string }) => reason).reverse();
        return reasons.length >= count;
      });
      return reasons;
    },
    async close() {
      platform.child.kill("SIGTERM");
      await platform.exited;
      await database.remove();
    },
  };
}
