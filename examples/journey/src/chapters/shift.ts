import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import type { Roster, Stage } from "../stage.ts";

/** An offer as the hirer's own system shows it. */
export interface Shift {
  widthdrawn: boolean;
  complete: boolean;
  isHistoric: boolean;
  applicants: string[];
  recipients: { id: number; workerId: string; name: string; response: string; confirmation: string }[];
}

const day = 24 * 60 * 60 * 1_000;

/** The hirer's system creates an offer to Amal, Ben and Cleo through the client. */
export async function postShift({ hirer }: Stage, title: string): Promise<string> {
  const start = new Date(Date.now() + day);
  const { status, body } = await hirer.call<{ shift: string }>("POST", "/shifts", {
    body: {
      title,
      details: "Evening service, black trousers, knives provided.",
      place: "place_harbour_kitchen",
      contact: "hana@harbour-hotels.example",
      workers: ["worker_amal", "worker_ben", "worker_cleo"],
      start,
      end: new Date(start.getTime() + day / 4),
    },
  });
  assert.equal(status, 201);
  return body.shift;
}

export async function readShift({ hirer }: Stage, shift: string): Promise<Shift> {
  const { status, body } = await hirer.call<Shift>("GET", `/shifts/${shift}`);
  assert.equal(status, 200);
  return body;
}

/** Waits until the integrator's own system knows this answer of the worker. */
export function awaitAnswer(
  { integrator }: Stage,
  shift: string,
  worker: string,
  answer: "accepted" | "rejected",
): Promise<unknown> {
  return eventually(`the webhook that ${worker} ${answer}`, async () => {
    const { offers } = await readRoster(integrator);
    return offers[shift]?.[worker] === answer || undefined;
  });
}

/** What the integrator's own system knows so far. */
export async function readRoster(integrator: Stage["integrator"]): Promise<Roster> {
  const { body } = await integrator.call<Roster>("GET", "/roster", { quiet: true });
  return body;
}
