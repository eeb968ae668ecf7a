import type { EndpointScheme } from "../../store/tables.ts";

/** What is in the form of the profile. The secret is never among it: it is typed anew each time. */
export interface ProfileDraft {
  baseAddress: string;
  scheme: EndpointScheme;
  suggestsContacts: boolean;
}

export const readProfileDraft = (form: URLSearchParams): ProfileDraft => ({
  baseAddress: form.get("baseAddress")?.trim() ?? "",
  scheme: form.get("scheme") as EndpointScheme,
  suggestsContacts: form.get("suggestsContacts") === "yes",
});
