import { offerSchema } from "./offer-schema.ts";

/** An offer can have thousands of recipients. */
const most = 10;

/** The paths of the invalid fields of an offer: `recipients[0].id`. Empty for a text that is not an object. */
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
