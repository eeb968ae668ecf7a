import type { Case, Sent } from "./proxies/cases.ts";
import { framingCases } from "./proxies/framing-cases.ts";
import { headerCases } from "./proxies/header-cases.ts";
import { explained, judge, Pair } from "./proxies/judge.ts";
import { startPlantedProxy } from "./proxies/planted-proxy.ts";
import { startPlatform } from "./proxies/platform.ts";
import { type ProxyServer, proxyNames, startProxy } from "./proxies/proxy-servers.ts";
import { exchange, write } from "./proxies/raw-request.ts";
import { receiverNames, startReceiver } from "./proxies/receivers.ts";
import { targetCases } from "./proxies/target-cases.ts";
import type { Upstream } from "./proxies/upstream.ts";
import type { SuiteReport } from "./suite.ts";

const cases: readonly Case[] = [...headerCases, ...framingCases, ...targetCases];

/** `PROXIES=nginx,haproxy` and `PROXY_CASES=Expect` select some. */
const selected = process.env.PROXIES?.split(",") ?? proxyNames;
const selectedCases = cases.filter(({ name }) => name.includes(process.env.PROXY_CASES ?? ""));

/** Each pair has an upstream and a proxy of its own; most of a run is waiting. */
const pairsAtOnce = 5;

/**
 * Sends ambiguous, broken and valid requests through real proxies to receivers and the platform. Proxy and upstream must agree on how many
 * requests there were, and on method and path of each; every effect must be one that was asked for, once.
 */
export async function proxies(): Promise<SuiteReport> {
  const pairs = ["none", ...selected].flatMap((proxy) =>
    ["platform", ...receiverNames].map((upstream) => ({ proxy, upstream })),
  );
  const titles = new Set<string>();
  const found: string[] = [];
  let connections = 0;
  const work = async (): Promise<void> => {
    for (let pair = pairs.shift(); pair !== undefined; pair = pairs.shift()) {
      const name = `${pair.proxy} to ${pair.upstream}`;
      const tried = await tryPair(pair.proxy, pair.upstream, (title) => titles.add(title));
      connections += tried.connections;
      console.log(`  ${name}: ${tried.connections} connections, ${tried.found.length} found`);
      found.push(...tried.found.map((line) => `${name}: ${line}`));
    }
  };
  await Promise.all(Array.from({ length: pairsAtOnce }, work));
  if (!(await noticesPlantedSmuggling()))
    found.push("a planted proxy that lets requests through unseen is not noticed");
  for (const [reason, count] of explained) console.log(`  ${count} paths differ on purpose: ${reason}`);
  const tried = `${selectedCases.length} cases, ${connections} connections through ${selected.length} configurations and none`;
  return { suite: [...titles].sort().join(", "), tried, found };
}

interface Tally {
  connections: number;
  found: string[];
}

async function tryPair(proxyName: string, upstreamName: string, onProxy: (title: string) => void): Promise<Tally> {
  const upstream = await (upstreamName === "platform" ? startPlatform() : startReceiver(upstreamName));
  let proxy: ProxyServer | undefined;
  try {
    if (proxyName !== "none") {
      proxy = await startProxy(proxyName, upstream.port);
      onProxy(proxy.title);
    }
    const tally = await tryCases(upstream, proxy, selectedCases);
    const { port } = proxy ?? upstream;
    tally.found.push(...(await upstream.journey(port)).map((line) => `journey: ${line}`));
    tally.found.push(...upstream.failures.map((line) => `${upstreamName} failed: ${line}`));
    return tally;
  } finally {
    await proxy?.stop();
    await upstream.close();
  }
}

/** Otherwise a run without disagreements would prove nothing. */
async function noticesPlantedSmuggling(): Promise<boolean> {
  const upstream = await startReceiver("node-sha256");
  const proxy = await startPlantedProxy(upstream.port);
  try {
    const pipelined = cases.filter(({ name }) => name === "five requests at once");
    const { found } = await tryCases(upstream, proxy, pipelined);
    return found.some((line) => line.includes("which the proxy did not forward"));
  } finally {
    await proxy.stop();
    await upstream.close();
  }
}

async function tryCases(upstream: Upstream, proxy: ProxyServer | undefined, tried: readonly Case[]): Promise<Tally> {
  const { port } = proxy ?? upstream;
  const pair = new Pair(upstream, proxy);
  await pair.begin();
  const found: string[] = [];
  let connections = 0;
  const send = async (name: string, sent: Sent): Promise<void> => {
    connections++;
    const isComplete = ![...sent.outcomes.values()].includes("dropped");
    const { halfClose = false, responses: expected = 1, patienceMs = isComplete ? 15_000 : 400 } = sent;
    const got = await exchange(port, sent.parts, { halfClose, expected, patienceMs });
    const disagreements = await pair.compare();
    const wrong = judge(sent, got, await upstream.readEffects());
    found.push(...[...disagreements, ...wrong].map((line) => `${name}: ${line}`));
  };
  for (const { name, build } of tried) {
    const sent = await build(upstream);
    if (sent === undefined) continue;
    await send(name, sent);
    // What is left in a connection between proxy and upstream would spoil the next request.
    const next = await upstream.draft();
    await send(`the request after ${name}`, { parts: [write(next)], outcomes: new Map([[next.marker, "effect"]]) });
  }
  return { connections, found };
}
