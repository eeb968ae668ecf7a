import type { EndpointScheme } from "../../store/tables.ts";

/** Input of the profile form, without the secret, which is never shown again. */
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
