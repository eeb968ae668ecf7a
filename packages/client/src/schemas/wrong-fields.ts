import { offerSchema } from "./offer-schema.ts";

/** More of them would tell no more, and an offer can have thousands of recipients. */
const most = 10;

/** Where the text of an offer departs from the contract: `recipients[0].id`. What is no offer at all has no fields. */
export function wrongFields(text: string): string[] {
  let offer: unknown;
  try {
    offer = JSON.parse(text);
  } catch {
    return [];
  }
  const issues = offerSchema.safeParse(offer).error?.issues ?? [];
  const fields = issues.map(({ path }) =>
    path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join(""),
  );
  return [...new Set(fields)]
    .filter(Boolean)
    .slice(0, most)
    .map((field) => field.slice(1));
}
