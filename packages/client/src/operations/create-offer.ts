import { refusal } from "../errors/refusal.ts";
import type { OfferInput } from "../offer-input.ts";
import type { Operation } from "../operation.ts";
import { kindOf } from "../pipeline/kind-of.ts";
import { UnfitResponse } from "../pipeline/unfit-response.ts";
import { toUtc } from "../utc.ts";

export const createOffer: Operation<OfferInput, { id: string }> = {
  name: "CreateOffer",
  method: "POST",
  path: "/offer",
  encode(input) {
    checkObject("input", input, "createOffer({ createdByUserId, title, workerIds })");
    const { events } = input;
    if (events !== undefined && events !== null && !Array.isArray(events))
      throw refusal("invalid_argument", `events is ${kindOf(events)}, not an array; give [{ start, end }]`);
    return {
      ...input,
      events: events?.map((event, index) => {
        checkObject(`events[${index}]`, event, "{ start, end }");
        return { start: toUtc(event.start, "start", index), end: toUtc(event.end, "end", index) };
      }),
    };
  },
  decode: (text) => ({ id: readId(text.trim()) }),
};

function checkObject(name: string, value: unknown, remedy: string): void {
  if (typeof value !== "object" || !value || Array.isArray(value))
    throw refusal("invalid_argument", `${name} is ${kindOf(value)}, not an object; give ${remedy}`);
}

/** The id as an object's member, a JSON string or bare text (D-02). A bare number is an id too, digit by digit. */
function readId(text: string): string {
  if (/^(?!null$)[^\s<{["]+$/.test(text)) return text;
  if (!text) throw new UnfitResponse("the body is empty");
  const body: { id?: unknown } | string | null = JSON.parse(text);
  const id = typeof body === "string" ? body : body?.id;
  if (id === undefined) throw new UnfitResponse("id is missing");
  if (typeof id !== "string") throw new UnfitResponse(`id is ${kindOf(id)}, not a string`);
  if (!id) throw new UnfitResponse("id is empty");
  return id;
}
