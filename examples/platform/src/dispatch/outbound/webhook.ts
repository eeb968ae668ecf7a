import type { webhooks } from "../../generated/openapi.ts";

type WebhookMethod<Item> = { [Name in "get" | "post"]: Item extends Record<Name, object> ? Uppercase<Name> : never }[
  | "get"
  | "post"];

/** A path of the contract's webhooks, with its method. */
export type Webhook = {
  [Path in keyof webhooks]: { method: WebhookMethod<webhooks[Path]>; path: Path };
}[keyof webhooks];
