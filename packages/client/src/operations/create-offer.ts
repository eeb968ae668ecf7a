import type { OfferInput } from "../contract/offer-input.ts";
import { kindOf } from "../errors/kind-of.ts";
import { checkArgument } from "./check-argument.ts";
import { InvalidBodyError } from "./invalid-body-error.ts";
import type { Operation } from "./operation.ts";
import { toUtc } from "./to-utc.ts";

export const createOffer: Operation<OfferInput, { id: string }> = {
  name: "CreateOffer",
  method: "POST",
  path: "/offer",
  encode(input) {
    checkArgument("input", input, "an object", "createOffer({ createdByUserId, title, workerIds })");
    const { events } = input;
    if (events !== undefined && events !== null) checkArgument("events", events, "an array", "[{ start, end }]");
    return {
      ...input,
      events: events?.map((event, index) => {
        checkArgument(`events[${index}]`, event, "an object", "{ start, end }");
        return { start: toUtc(event.start, "start", index), end: toUtc(event.end, "end", index) };
      }),
    };
  },
  decode: (text) => ({ id: readId(text.trim()) }),
};

/** The id as an object's member, a JSON string or bare text (D-02). A bare number is an id too, digit by digit. */
function readId(text: string): string {
  if (/^(?!null$)[^\s<{["]+$/.test(text)) return text;
  if (!text) throw new InvalidBodyError("the body is empty");
  const body: { id?: unknown } | string | null = JSON.parse(text);
  const id = typeof body === "string" ? body : body?.id;
  if (id === undefined) throw new InvalidBodyError("id is missing");
  if (typeof id !== "string") throw new InvalidBodyError(`id is ${kindOf(id)}, not a string`);
  if (!id) throw new InvalidBodyError("id is empty");
  return id;
}
