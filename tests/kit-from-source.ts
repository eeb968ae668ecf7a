import { registerHooks } from "node:module";

const kit = new URL("../packages/webhook-kit/src/", import.meta.url);

/** Makes later imports load the kit from its source instead of its build, so that stack traces and patches refer to the source. */
export const loadKitFromSource = (): unknown =>
  registerHooks({
    resolve(specifier, context, next) {
      const match = /^@offers\/webhook-kit(?:\/(.*))?$/.exec(specifier);
      if (match === null) return next(specifier, context);
      const [, entry = "index"] = match;
      return next(new URL(`${entry}.ts`, kit).href, context);
    },
  });
