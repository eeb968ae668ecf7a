interface Dispatcher {
  readonly constructor: new (options?: object) => object;
}

/** Where Node's `fetch` and undici keep the dispatcher that they share. Undici 8 uses the second. */
const slots = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

const global = globalThis as unknown as Readonly<Record<symbol, Dispatcher | undefined>>;

/** The way that a request takes through `fetch`: directly, as the proxy variables say, or another way, such as a test's stub. */
export type FetchRoute = "direct" | "proxy-variables" | "other";

let known: { fetch: unknown; dispatchers: unknown[]; route: FetchRoute } | undefined;

/** Tracers that patch nothing subscribe to this channel. */
let channel: { readonly hasSubscribers: boolean } | undefined;

/** Finds out whether anything but Node itself is behind `globalThis.fetch`. In doubt, the route is `other`. */
export function findFetchRoute(): FetchRoute {
  channel ??= process.getBuiltinModule("node:diagnostics_channel").channel("undici:request:create");
  if (channel.hasSubscribers) return "other";
  const { fetch } = globalThis;
  const [first, second] = slots.map((slot) => global[slot]);
  if (known?.fetch !== fetch || known?.dispatchers[0] !== first || known?.dispatchers[1] !== second)
    known = { fetch, dispatchers: [first, second], route: inspect(fetch, [first, second]) };
  return known.route;
}

function inspect(fetch: unknown, dispatchers: readonly (Dispatcher | undefined)[]): FetchRoute {
  // The function with which Node loads undici at the first call.
  if (!/^function fetch\(.*require\('internal\/deps\/undici\/undici'\)/s.test(String(fetch))) return "other";
  const kinds = dispatchers.filter((dispatcher) => dispatcher !== undefined).map(nameOwnDispatcher);
  if (kinds.includes(undefined)) return "other";
  return kinds.includes("EnvHttpProxyAgent") ? "proxy-variables" : "direct";
}

/** Returns the name of the dispatcher's class, if it is one of those that Node's `fetch` creates. */
function nameOwnDispatcher(dispatcher: Dispatcher): string | undefined {
  const { constructor: Class } = dispatcher;
  const { name } = Class;
  if (!["Agent", "EnvHttpProxyAgent", "Dispatcher1Wrapper"].includes(name)) return undefined;
  try {
    // Its class rejects this option. The stack then shows whose class it is.
    new Class({ factory: 1 });
  } catch (error) {
    const [, frame = ""] = String((error as Error).stack).split("\n");
    if (!/^ +at new \w+ \(node:internal\/deps\/undici\//.test(frame)) return undefined;
    return name !== "Agent" || hasDefaults(dispatcher, new Class()) ? name : undefined;
  }
  return undefined;
}

/** Returns whether an agent has the options of a new one, and has no additional property. */
function hasDefaults(dispatcher: object, fresh: object): boolean {
  const { isDeepStrictEqual } = process.getBuiltinModule("node:util");
  const read = (agent: object) => [
    Reflect.ownKeys(agent).map(String),
    ...Object.getOwnPropertySymbols(agent)
      .filter(({ description }) => description === "options" || description === "factory")
      .map((symbol) => (agent as Record<symbol, unknown>)[symbol]),
  ];
  return isDeepStrictEqual(read(dispatcher), read(fresh));
}
