import type { CreatedOffer, OfferInput } from "../offer-input.ts";
import type { Operation } from "../operation.ts";
import { toUtc } from "../utc.ts";

export const createOffer: Operation<OfferInput, CreatedOffer> = {
  name: "CreateOffer",
  method: "POST",
  path: "/offer",
  repeatable: false,
  encode: (input) => ({
    ...input,
    events: input.events?.map(({ start, end }, index) => ({
      start: toUtc(start, `events[${index}].start`),
      end: toUtc(end, `events[${index}].end`),
    })),
  }),
  decode: (text) => ({ id: readId(text.trim()) }),
};

/** The id as an object's member, a JSON string or bare text (D-02). A bare number is an id too, digit by digit. */
function readId(text: string): string {
  if (/^[^\s<{["]+$/.test(text) && text !== "null") return text;
  const body: string | { id?: unknown } = JSON.parse(text);
  const id = typeof body === "string" ? body : body.id;
  if (typeof id !== "string" || !id) throw new TypeError("no id");
  return id;
}
