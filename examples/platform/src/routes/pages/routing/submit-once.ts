import { randomUUID } from "node:crypto";
import { runIdempotently } from "../../../http/idempotent.ts";
import { sha256 } from "../../../store/encrypt.ts";
import type { Trx } from "../../../store/store.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PageContext, Redirect } from "./page.ts";

/**
 * Renders the hidden field with a form's idempotency key.
 *
 * @param key a fixed key for a form that live updates replace, or for an action that can take effect only once. @default a random key
 */
export const idempotencyField = (key: string = randomUUID()): Markup =>
  html`<input type="hidden" name="idempotencyKey" value="${key}">`;

/**
 * Commits a form's effect once. Submitting the same form again, with a double click or a reload, has no effect and
 * redirects as before, even without JavaScript (D-85). A form without an idempotency key takes effect each time.
 *
 * @param organisationId the organisation that acts or that receives the event
 * @param effect performs the action; if it throws, the form can be submitted again
 */
export async function submitOnce(
  { deps, request }: Pick<PageContext<unknown>, "deps" | "request">,
  form: URLSearchParams,
  organisationId: string,
  effect: (trx: Trx) => Promise<Redirect>,
): Promise<Redirect> {
  if (!form.has("idempotencyKey")) return deps.store.transaction(effect);
  // The CSRF token in the form makes the key unique to the session. The line breaks make it differ from any Idempotency-Key header.
  const keyHash = sha256(`form\n${request.path}\n${form}`);
  // The key hash already covers the form's content, so a fingerprint is not needed.
  const key = { organisationId, keyHash, fingerprint: "", now: deps.now() };
  const { result } = await deps.store.transaction((trx) => runIdempotently(trx, key, () => effect(trx)));
  return result;
}
