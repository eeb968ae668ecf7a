import type { Scheme } from "../../../../cli/src/signature/sign-request.ts";
import type { ReceiverNeeds } from "../../../../cli/src/vectors/vectors.ts";
import { standardWebhooks } from "../../../src/signature/standard-webhooks.ts";
import { adapters } from "./adapters.ts";
import { configFor, decodeMount, type FromReceiver, type ReceiverSetup, type ToReceiver } from "./receiver-setup.ts";

// Runs in a separate process with one adapter, one time zone (`TZ`), and a separate receiver for every case.
const [, , adapterName = "", scheme] = process.argv;
const config = configFor(scheme as Scheme);
const records = new Map<string, { handled: number; given: unknown[]; reasons: string[] }>();
const releaseFunctions = new Map<string, () => void>();

function sendToParent(message: FromReceiver): void {
  process.send?.(message);
}

const recordFor = (mount: string) => {
  const record = records.get(mount) ?? { handled: 0, given: [], reasons: [] };
  records.set(mount, record);
  return record;
};

/** Copies an event for IPC. A short message replaces a value that is too long or nested too deeply. */
function copyForIpc(event: unknown): unknown {
  try {
    const text = JSON.stringify(event);
    return text.length > 100_000 ? "too long to be sent" : JSON.parse(text);
  } catch {
    return "too deep to be sent";
  }
}

/** Creates a handler that records every event, and that fails or waits for the parent on the first one if the case needs it. */
const createHandler = (mount: string, behaviour: ReceiverNeeds["handler"]) => {
  const record = recordFor(mount);
  return (event: unknown): unknown => {
    record.given.push(copyForIpc(event));
    record.handled += 1;
    if (record.handled > 1) return undefined;
    if (behaviour === "fails") throw new Error("PRIVATE words of a handler");
    if (behaviour !== "held") return undefined;
    sendToParent({ type: "held", mount });
    return new Promise<void>((resolve) => releaseFunctions.set(mount, resolve));
  };
};

function setUp(mount: string): ReceiverSetup {
  const { clock, without = [], handler, replayProtection } = decodeMount(mount);
  const handle = createHandler(mount, handler);
  const handlers = {
    onWorkerAddedContact: handle,
    onWorkerOfferResponse: handle,
    onOfferEventDeleted: handle,
    onTimelineChanged: handle,
    suggestContacts: (search: unknown) => {
      handle(search);
      return config.suggestions as never[];
    },
  };
  return {
    ...Object.fromEntries(Object.entries(handlers).filter(([name]) => !without.includes(name))),
    secret: [config.secrets.current ?? "", config.secrets.previous ?? ""],
    ...(scheme === "standardWebhooks" && { scheme: standardWebhooks() }),
    ...(replayProtection && { replayProtection }),
    now: () => (clock === undefined ? new Date() : new Date(clock)),
    onRejected: ({ code }) => recordFor(mount).reasons.push(code),
  };
}

// Silences body parsers, which log errors about invalid bodies, and receivers, which warn about missing handlers.
console.error = () => undefined;
console.warn = () => undefined;

const adapter = adapters[adapterName];
if (!adapter) throw new Error(`Unknown adapter ${adapterName}.`);
const server = adapter(setUp);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address) sendToParent({ type: "listening", port: address.port });
});

// Some cases try to set `isAdmin` on Object.prototype.
process.on("message", (message: ToReceiver) => {
  if (message.type === "release") releaseFunctions.get(message.mount)?.();
  else sendToParent({ type: "tally", records: message.mounts.map(recordFor), isPolluted: "isAdmin" in {} });
});
// Exits when the parent exits.
process.on("disconnect", () => process.exit());
