import { ConfigurationError } from "../errors.ts";
import type { ReceiverOptions } from "./options.ts";
import { typeInWords } from "./type-in-words.ts";

/** Every option, and whether it is a function: one that is added to the type must be added here. */
const options: Record<keyof ReceiverOptions | "basePath", "function" | "checked elsewhere"> = {
  basePath: "checked elsewhere",
  secret: "checked elsewhere",
  scheme: "checked elsewhere",
  toleranceSeconds: "checked elsewhere",
  maxBodyBytes: "checked elsewhere",
  allowWeakSecret: "checked elsewhere",
  handlerTimeoutMs: "checked elsewhere",
  receipts: "checked elsewhere",
  replay: "checked elsewhere",
  tracer: "checked elsewhere",
  logger: "checked elsewhere",
  now: "function",
  onVerified: "function",
  onRejected: "function",
  onError: "function",
  onWorkerAddedContact: "function",
  suggestContacts: "function",
  onWorkerOfferResponse: "function",
  onOfferEventDeleted: "function",
  onTimelineChanged: "function",
};

/**
 * A handler whose name is misspelt would be a 404 to every event, without a word on this side.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function checkOptionNames(given: object): void {
  if (typeof given !== "object" || given === null)
    throw new ConfigurationError(
      "invalid_option",
      "The options must be an object with a secret at least, such as { secret: process.env.WEBHOOK_SECRET }.",
    );
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(options, name))
      throw new ConfigurationError(
        "invalid_option",
        `There is no option ${name}; is it misspelt? There are: ${Object.keys(options).join(", ")}.`,
      );
    if (options[name as keyof ReceiverOptions] === "function" && value !== undefined && typeof value !== "function")
      throw new ConfigurationError("invalid_option", `${name} must be a function; it is ${typeInWords(value)}.`);
  }
}
