import { registerHooks } from "node:module";

const kit = new URL("../packages/webhook-kit/src/", import.meta.url);

/** Makes later imports load the kit from its source instead of its build, so that stack traces and patches refer to the source. */
export const loadKitFromSource = (): unknown =>
  registerHooks({
    resolve(specifier, context, next) {
      const [, entry] = /^@offers\/webhook-kit(?:\/(.*))?$/.exec(specifier) ?? [];
      if (!specifier.startsWith("@offers/webhook-kit")) return next(specifier, context);
      return next(new URL(`${entry ?? "index"}.ts`, kit).href, context);
    },
  });
