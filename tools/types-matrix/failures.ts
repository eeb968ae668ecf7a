import { errorCodes } from "./error-codes.ts";

const quote = (text: string) => JSON.stringify(text);

/** What must compile, and after each `@ts-expect-error` what must not, for one class of errors. */
function ofClass(qualified: string, codes: readonly string[]): string {
  const name = qualified.replace(/^.*\./, "");
  return `
(error: ${qualified}): string => {
  error.name satisfies ${quote(name)};
  // @ts-expect-error: no error has this name
  if (error.name === "nope") return "";
  // @ts-expect-error: no error has this code
  if (error.code === "nope") return "";
  // @ts-expect-error: the codes are words, not any string
  const code: "nope" = error.code;
  switch (error.code) {
${codes.map((code) => `    case ${quote(code)}:\n      return ${quote(code)};`).join("\n")}
    // @ts-expect-error: no error has this code
    case "nope":
      return code;
    default:
      return error.code satisfies never;
  }
};`;
}

/** The union narrows: each code to its class, or to the classes that share it, and all the codes together to nothing. */
function ofUnion(union: string, namespace: string, classes: Record<string, readonly string[]>): string {
  const names = Object.keys(classes);
  const cases = [...new Set(Object.values(classes).flat())].flatMap((code) => {
    const owners = names.filter((name) => classes[name]?.includes(code));
    const types = owners.map((name) => `${namespace}.${name}`).join(" | ");
    return [
      `    case ${quote(code)}:`,
      `      return (error satisfies ${types}).name satisfies ${owners.map(quote).join(" | ")};`,
    ];
  });
  return `
(error: ${union}): string => {
  // @ts-expect-error: no error has this code
  if (error.code === "nope") return "";
  switch (error.code) {
${cases.join("\n")}
    // @ts-expect-error: no error has this code
    case "nope":
      return "";
    default:
      return error satisfies never;
  }
};`;
}

const kitClasses = errorCodes["@offers/webhook-kit"];
const body = `
${Object.entries(errorCodes["@offers/client"])
  .map(([name, codes]) => ofClass(`client.${name}`, codes))
  .join("")}
${Object.entries(kitClasses)
  .map(([name, codes]) => ofClass(`kit.${name}`, codes))
  .join("")}
${ofUnion("client.AnyOffersError", "client", errorCodes["@offers/client"])}
${ofUnion("kit.AnyWebhookKitError", "kit", kitClasses)}
(error: unknown): number | string | undefined => {
  if (client.isOffersError(error)) {
    // @ts-expect-error: no error has this code
    if (error.code === "nope") return 1;
    if (error.code === "rate_limited") return error.status satisfies 429;
    if (error.code === "unauthenticated") return (error satisfies client.AuthenticationError).name;
    if (error.status === 409) return error.name satisfies "ConflictError";
  }
  if (error instanceof client.AuthenticationError && error.code !== "api_key_provider_failed")
    return error.code satisfies "unauthenticated";
  if (error instanceof kit.HandlerError && error.code === "invalid_handler_result") return Object.keys(error.fields ?? {})[0];
  // @ts-expect-error: only a HandlerError names fields
  if (error instanceof kit.UnavailableError) return Object.keys(error.fields)[0];
  return undefined;
};
async (offers: client.OffersClient): Promise<string> => {
  const result = await offers.getOffer("offer_1").safe();
  if (result.ok) return result.data.title;
  // @ts-expect-error: no error has this code
  if (result.error.code === "nope") return "";
  return result.error.code === "timeout" ? result.error.name satisfies "TimeoutError" : result.error.message;
};
`;

const esModule = `import * as client from "@offers/client";\nimport * as kit from "@offers/webhook-kit";\n${body}`;

/** A program that depends on every error's code and name, as each way to resolve modules wants it to be written. */
export const failures = {
  "nodenext, ES module": { file: "failures.mts", code: esModule },
  "nodenext, CommonJS": {
    file: "failures.cts",
    code: `import client = require("@offers/client");\nimport kit = require("@offers/webhook-kit");\n${body}export = {};\n`,
  },
  bundler: { file: "failures.ts", code: esModule },
} as const;
