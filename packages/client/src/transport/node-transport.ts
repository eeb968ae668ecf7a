// `#transport` on Node. It imports no class of this package, because the entries contain their own copies of what they import.
import type { Agent } from "node:http";
import type { Fetch, NodeAgent, Transport } from "../http.ts";
import { startExchange } from "./exchange.ts";
import { runtimeFetch } from "./fetch-transport.ts";
import { dropStaleSockets } from "./idle-sockets.ts";
import { findFetchRoute } from "./own-fetch.ts";

type Protocol = "http:" | "https:";

interface ProxySettings {
  /** The proxy variables, if Node honours them. */
  readonly proxyEnv?: NodeJS.Dict<string>;
}

// Loaded by the first request, because `node:https` takes longer to load than this package.
const loadModule = (protocol: Protocol) => process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http");

/** The options that this transport has, with their defaults. */
export const transportDefaults: { readonly fetch: Fetch; readonly agent: NodeAgent | undefined } = {
  fetch: runtimeFetch,
  agent: undefined,
};

/**
 * Returns the transport. The user's `fetch` is always used, and so is an agent: a request must not bypass its proxy or its certificate.
 * Without them, every request uses `node:http` only if it then takes the way that it would take through `fetch` (D-165).
 *
 * @param throwUsageError throws the client's error for an invalid option
 */
export function openTransport(
  fetch: Fetch,
  agent: NodeAgent | undefined,
  throwUsageError: (message: string) => never,
): Transport {
  if (fetch !== runtimeFetch) return { name: "fetch", send: fetch };
  if (agent === undefined) return defaultTransport;
  if (typeof Object(agent).freeSockets !== "object")
    throwUsageError("agent must be an Agent of node:http or node:https");
  return createTransport(() => agent);
}

/** Returns the variables that Node's own agent honours. */
const readProxyEnv = (protocol: Protocol) =>
  (loadModule(protocol).globalAgent as { readonly options?: ProxySettings }).options?.proxyEnv;

const createTransport = (findAgent: (protocol: Protocol) => NodeAgent): Transport => ({
  name: "node:http",
  send: async (url, init) => {
    const target = new URL(url);
    const agent = findAgent(target.protocol as Protocol);
    // A read is repeated when its connection turns out to be closed. A creation must not use such a connection (D-142).
    if (init.method === "POST") dropStaleSockets(agent, target);
    return startExchange(loadModule(target.protocol as Protocol), target, init, agent as Agent);
  },
});

/** Creates one agent per protocol, at the first request. Every client shares them, as every `fetch` shares its connections. */
function shareAgents(readVariables: typeof readProxyEnv): (protocol: Protocol) => NodeAgent {
  const agents = new Map<Protocol, { agent: Agent; proxyEnv: ProxySettings["proxyEnv"] }>();
  return (protocol) => {
    const proxyEnv = readVariables(protocol);
    const shared = agents.get(protocol);
    if (shared && shared.proxyEnv === proxyEnv) return shared.agent;
    const { Agent } = loadModule(protocol);
    // `fetch` closes a connection after four seconds without a request too.
    const agent = new Agent({ keepAlive: true, scheduling: "lifo", timeout: 4_000, ...(proxyEnv && { proxyEnv }) });
    agents.set(protocol, { agent, proxyEnv });
    return agent;
  };
}

const directTransport = createTransport(shareAgents(() => undefined));
const proxyTransport = createTransport(shareAgents(readProxyEnv));
const fetchTransport: Transport = { name: "fetch", send: runtimeFetch };

function chooseTransport(): Transport {
  const route = findFetchRoute();
  if (route === "direct") return directTransport;
  // An older Node honours the proxy variables in `fetch` only.
  return route === "proxy-variables" && readProxyEnv("https:") ? proxyTransport : fetchTransport;
}

const defaultTransport: Transport = {
  get name() {
    return chooseTransport().name;
  },
  send: (url, init) => chooseTransport().send(url, init),
};
