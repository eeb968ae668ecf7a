import type { OfferInput } from "../offer-input.ts";
import type { Operation } from "../operation.ts";
import { toUtc } from "../utc.ts";

export const createOffer: Operation<OfferInput, { id: string }> = {
  name: "CreateOffer",
  method: "POST",
  path: "/offer",
  encode: (input) => ({
    ...input,
    events: input.events?.map(({ start, end }, index) => ({
      start: toUtc(start, "start", index),
      end: toUtc(end, "end", index),
    })),
  }),
  decode: (text) => ({ id: readId(text.trim()) }),
};

/** The id as an object's member, a JSON string or bare text (D-02). A bare number is an id too, digit by digit. */
function readId(text: string): string {
  if (/^(?!null$)[^\s<{["]+$/.test(text)) return text;
  const body: { id?: unknown } = JSON.parse(text);
  const id = body.id ?? body;
  if (typeof id !== "string" || !id) throw new Error();
  return id;
}
