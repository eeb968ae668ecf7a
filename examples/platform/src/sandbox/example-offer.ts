import { demo } from "./demo.ts";
import type { SandboxCaller } from "./sandbox-caller.ts";

/** Creates an offer, to which the first of its workers applies. The others reject it. @returns the offer's id */
export async function playExampleOffer(caller: SandboxCaller): Promise<string> {
  const offer = { createdByUserId: demo.userId, title: "Kitchen help", workerIds: demo.workerIds };
  const created = await caller.call("POST", "/offer", { "X-UE-Api-Subscription-Key": demo.apiKey }, offer);
  if (!created.ok) throw new Error(`POST /offer responded with ${created.status}`);
  const text = await created.text();
  // In the live dialect the body is the id alone (D-51).
  const id = text.startsWith("{") ? (JSON.parse(text) as { id: string }).id : text;
  for (const [index, workerId] of demo.workerIds.entries()) {
    const session = await caller.signIn("/worker-app/session", { workerId });
    const action = index === 0 ? "apply" : "reject";
    const { ok, status } = await caller.call("POST", `/worker-app/offers/${id}/${action}`, session);
    if (!ok) throw new Error(`${action} of ${workerId} responded with ${status}`);
  }
  return id;
}
