import { ConfigurationError } from "./errors.ts";
import type { ReceiverOptions } from "./options.ts";

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
 * A handler whose name is misspelt would be a 404 to every event, and nobody would hear of it.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function checkOptionNames(given: object): void {
  if (typeof given !== "object" || given === null)
    throw new ConfigurationError("invalid_option", "Give an object of options, with a secret at least.");
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(options, name))
      throw new ConfigurationError("invalid_option", `There is no option of this name: ${name}. Is it misspelt?`);
    if (options[name as keyof ReceiverOptions] === "function" && value !== undefined && typeof value !== "function")
      throw new ConfigurationError("invalid_option", `${name} must be a function.`);
  }
}
