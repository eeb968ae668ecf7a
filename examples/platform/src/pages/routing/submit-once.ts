import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import { sha256 } from "../../http/sha256.ts";
import { once } from "../../idempotency/idempotent.ts";
import { commit } from "../../offers/commit-and-publish.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Trx } from "../../store/store.ts";
import type { Markup } from "../layout/markup.ts";
import type { Visit } from "./page-context.ts";
import type { Redirect } from "./page-result.ts";

/**
 * The hidden field that tells a form sent twice from two that say the same.
 *
 * @param key of its own where the form's page is swapped in parts, or the act can have its effect once only
 */
export const onceField = (key: string = randomUUID()): Markup => html`<input type="hidden" name="once" value="${key}">`;

export interface SentForm {
  visit: Visit<unknown>;
  form: URLSearchParams;
  /** Whose doing it is, or to whom it is told. */
  organisationId: string;
}

/**
 * Commits what a form asks for. The very same form again, after a double click or when its answer is loaded again, has no
 * effect and leads where it led before (D-85): the page must not need a script for that.
 *
 * @param effect leaves nothing behind when it throws, so that the form may be sent again
 */
export async function actOnce(
  deps: OfferDeps,
  { visit, form, organisationId }: SentForm,
  effect: (trx: Trx) => Promise<Redirect>,
): Promise<Redirect> {
  if (!form.has("once")) return commit(deps, effect);
  // The form has the session's token in it: no other session has such a key. No Idempotency-Key has a line break.
  const keyHash = sha256(`form\n${visit.request.path}\n${form}`);
  const key = { organisationId, keyHash, fingerprint: "", now: deps.now() };
  const { result } = await commit(deps, (trx) => once(trx, key, () => effect(trx)));
  return result;
}
