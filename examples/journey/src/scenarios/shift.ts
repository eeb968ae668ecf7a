import assert from "node:assert/strict";
import type { Context, Roster } from "../context.ts";
import { eventually } from "../eventually.ts";

/** An offer as the hirer's system returns it. */
export interface Shift {
  /** The contract's spelling. */
  widthdrawn: boolean;
  complete: boolean;
  isHistoric: boolean;
  applicants: string[];
  recipients: { id: number; workerId: string; name: string; response: string; confirmation: string }[];
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Offers a shift to Amal, Ben and Cleo through the hirer's system. @returns the offer id */
export async function postShift({ hirer }: Context, title: string): Promise<string> {
  const start = new Date(Date.now() + dayMs);
  const { status, body } = await hirer.call<{ shift: string }>("POST", "/shifts", {
    body: {
      title,
      details: "Evening service, black trousers, knives provided.",
      place: "place_harbour_kitchen",
      notifyEmail: "hana@harbour-hotels.example",
      workers: ["worker_amal", "worker_ben", "worker_cleo"],
      start,
      end: new Date(start.getTime() + dayMs / 4),
    },
  });
  assert.equal(status, 201);
  return body.shift;
}

export async function readShift({ hirer }: Context, offerId: string): Promise<Shift> {
  const { status, body } = await hirer.call<Shift>("GET", `/shifts/${offerId}`);
  assert.equal(status, 200);
  return body;
}

/** Waits until the integrator has received this response from the worker. */
export function awaitResponse(
  { integrator }: Context,
  offerId: string,
  workerId: string,
  response: "accepted" | "rejected",
): Promise<unknown> {
  return eventually(`the webhook with the response ${response} from ${workerId}`, async () => {
    const { offers } = await readRoster(integrator);
    return offers[offerId]?.[workerId] === response;
  });
}

/** Reads the data that the integrator has received so far. */
export async function readRoster(integrator: Context["integrator"]): Promise<Roster> {
  const { body } = await integrator.call<Roster>("GET", "/roster", { quiet: true });
  return body;
}
