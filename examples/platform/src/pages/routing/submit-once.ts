import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import { sha256 } from "../../http/sha256.ts";
import { idempotent } from "../../idempotency/idempotent.ts";
import { commitAndPublish } from "../../offers/commit-and-publish.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Trx } from "../../store/store.ts";
import type { Markup } from "../layout/markup.ts";
import type { PageContext } from "./page-context.ts";
import type { Redirect } from "./page-result.ts";

/**
 * The hidden idempotency key of a form.
 *
 * @param key fixed where live updates replace the form, or where the action can have only one effect
 */
export const idempotencyField = (key: string = randomUUID()): Markup =>
  html`<input type="hidden" name="idempotencyKey" value="${key}">`;

export interface SentForm {
  context: PageContext<unknown>;
  form: URLSearchParams;
  /** The organisation that acts, or that receives the event. */
  organisationId: string;
}

/**
 * Commits the effect of a form once. Submitting the same form again, by a double click or a reload, has no effect and
 * redirects as before, without a script (D-85).
 *
 * @param effect if it throws, the form can be submitted again
 */
export async function submitOnce(
  deps: OfferDeps,
  { context, form, organisationId }: SentForm,
  effect: (trx: Trx) => Promise<Redirect>,
): Promise<Redirect> {
  if (!form.has("idempotencyKey")) return commitAndPublish(deps, effect);
  // The form contains the session's CSRF token, so keys of sessions differ; and no Idempotency-Key has a line break.
  const keyHash = sha256(`form\n${context.request.path}\n${form}`);
  const key = { organisationId, keyHash, fingerprint: "", now: deps.now() };
  const { result } = await commitAndPublish(deps, (trx) => idempotent(trx, key, () => effect(trx)));
  return result;
}
