import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { assetPath } from "../../examples/platform/src/routes/pages/layout/assets.ts";
import { runCommand } from "../processes/run-command.ts";
import { findDebianProgram } from "./debian-program.ts";
import { startPlatform, startReceiver, type Victim } from "./slow-clients/victims.ts";
import type { SuiteReport } from "./suite.ts";

interface Attack {
  name: string;
  on: "receiver" | "platform";
  path: string;
  /** Of slowhttptest. */
  flags: readonly string[];
  /** Sends credentials, so that more than the headers is read. */
  isSigned?: boolean;
  /** When the server has closed every connection; undefined where nothing limits the sender, who leaves after `seconds`. */
  closedAfter?: number;
  seconds: number;
}

const connections = 200;

/** Node looks every 30 seconds for headers older than `headersTimeout`: 60 s, and 30 s of the platform. Bodies have 10 s (D-25). */
const attacks: readonly Attack[] = [
  {
    name: "slow headers",
    on: "receiver",
    path: "/offers/offer/response",
    flags: ["-H"],
    closedAfter: 95,
    seconds: 100,
  },
  { name: "slow headers", on: "platform", path: "/offer", flags: ["-H"], closedAfter: 65, seconds: 70 },
  {
    name: "slow body, unsigned",
    on: "receiver",
    path: "/offers/offer/response",
    flags: ["-B"],
    closedAfter: 12,
    seconds: 30,
  },
  {
    name: "slow body, signed",
    on: "receiver",
    path: "/offers/offer/response",
    flags: ["-B"],
    isSigned: true,
    closedAfter: 17,
    seconds: 30,
  },
  { name: "slow body without a key", on: "platform", path: "/offer", flags: ["-B"], closedAfter: 12, seconds: 30 },
  {
    name: "slow body with a key",
    on: "platform",
    path: "/offer",
    flags: ["-B"],
    isSigned: true,
    closedAfter: 17,
    seconds: 30,
  },
  {
    name: "slow sign-in",
    on: "platform",
    path: "/portal/session",
    flags: ["-B", "-f", "application/json"],
    closedAfter: 17,
    seconds: 30,
  },
  { name: "slow sign-in form", on: "platform", path: "/sign-in", flags: ["-B"], closedAfter: 17, seconds: 30 },
  { name: "slow read", on: "receiver", path: "/offers/test", flags: ["-X", "-k", "3"], seconds: 25 },
  {
    name: "slow read of a list",
    on: "platform",
    path: "/events?limit=100",
    flags: ["-X", "-k", "3"],
    isSigned: true,
    seconds: 25,
  },
  {
    name: "slow read of a style sheet",
    on: "platform",
    path: assetPath("styles.css"),
    flags: ["-X", "-k", "3"],
    seconds: 25,
  },
  { name: "ranges", on: "receiver", path: "/offers/test", flags: ["-R", "-a", "1", "-b", "3000"], seconds: 25 },
  {
    name: "ranges",
    on: "platform",
    path: assetPath("styles.css"),
    flags: ["-R", "-a", "1", "-b", "3000"],
    seconds: 25,
  },
];

/** Another client gets its response within this time, while nothing else keeps the machine busy. */
const longestMs = 5_000;
/** What 200 connections may cost: half a mebibyte each. */
const mostMemory = 100;

/** `SLOW_ATTACKS=body` selects some. */
const selected = attacks.filter(({ name }) => name.includes(process.env.SLOW_ATTACKS ?? ""));

/** Attacks a receiver and the platform with clients that send and read slowly, while another client goes on asking. */
export async function slowhttptest(): Promise<SuiteReport> {
  const { path, title } = await findDebianProgram("slowhttptest");
  const victims = { receiver: await startReceiver(), platform: await startPlatform() };
  const found: string[] = [];
  let asked = 0;
  try {
    // The two servers at the same time, each attacked by one after the other.
    await Promise.all(
      Object.entries(victims).map(async ([on, victim]) => {
        for (const attack of selected.filter((each) => each.on === on)) {
          const result = await withstand(path, attack, victim);
          asked += result.asked;
          console.log(`  ${on}, ${attack.name}: ${result.line}`);
          found.push(...result.found.map((line) => `${on}, ${attack.name}: ${line}`));
        }
      }),
    );
  } finally {
    for (const victim of Object.values(victims)) await victim.stop();
  }
  const tried = `${selected.length} attacks of ${connections} connections; ${asked} requests of another client meanwhile`;
  return { suite: title, tried, found };
}

interface Result {
  line: string;
  asked: number;
  found: string[];
}

async function withstand(program: string, attack: Attack, victim: Victim): Promise<Result> {
  const found: string[] = [];
  const memoryBefore = await victim.readMemory();
  const startedAt = performance.now();
  const secondsSince = () => Math.round((performance.now() - startedAt) / 1000);
  let isOver = false;
  const attacking = runCommand(program, await flagsOf(attack, victim), { cwd: "/tmp" }).finally(() => (isOver = true));

  let asked = 0;
  let slowestMs = 0;
  let mostOpen = 0;
  let lastOpenAt = 0;
  let memory = memoryBefore;
  while (!isOver) {
    const at = performance.now();
    const status = await victim.ask().catch((error: Error) => error.message);
    asked++;
    slowestMs = Math.max(slowestMs, performance.now() - at);
    if (typeof status === "string" || status >= 300)
      found.push(`another client gets ${status} after ${secondsSince()} s`);
    memory = Math.max(memory, await victim.readMemory());
    const open = await victim.countConnections();
    mostOpen = Math.max(mostOpen, open);
    // The other client keeps one open itself, and a few of it may be closing.
    if (open > 5) lastOpenAt = secondsSince();
    await Promise.race([sleep(100), attacking]);
  }
  const output = await attacking;
  if (!victim.isRunning()) found.push("the server has exited");
  if (slowestMs > longestMs) found.push(`another client waited ${Math.round(slowestMs)} ms`);
  if (memory - memoryBefore > mostMemory) found.push(`memory grew from ${memoryBefore} to ${memory} MiB`);
  if (attack.closedAfter !== undefined && lastOpenAt > attack.closedAfter)
    found.push(`connections were open after ${lastOpenAt} s, and not only ${attack.closedAfter} s`);
  if (mostOpen < connections / 10 && attack.closedAfter !== undefined && attack.closedAfter > 12)
    found.push(`the attack opened ${mostOpen} connections only`);
  // What is left of them is gone soon: an idle connection is closed after five seconds.
  for (let tries = 0; tries < 100 && (await victim.countConnections()) > 5; tries++) await sleep(100);
  const left = await victim.countConnections();
  if (left > 5) found.push(`${left} connections are still open ten seconds later`);
  const after = await victim.ask().catch((error: Error) => error.message);
  if (after !== 200 && after !== 201) found.push(`afterwards another client gets ${after}`);
  const exit = /Exit status:\s*(.*)/.exec(stripVTControlCharacters(output))?.[1]?.trim() ?? "unknown";
  const line =
    `${mostOpen} connections at most, the last after ${lastOpenAt} s (${exit}); another client asked ${asked} times, ` +
    `${Math.round(slowestMs)} ms at most; ${memoryBefore} to ${memory} MiB`;
  return { line, asked, found };
}

async function flagsOf({ flags, path, seconds, isSigned = false }: Attack, victim: Victim): Promise<string[]> {
  // It has no option for a header of one's own; these two it writes as they are given.
  const signed = isSigned ? `application/json\r\n${await victim.credentials()}` : undefined;
  const asHeader = signed === undefined ? [] : flags.includes("-B") ? ["-f", signed] : ["-m", signed];
  const load = ["-c", String(connections), "-r", "100", "-i", "3", "-l", String(seconds), "-p", "5", "-v", "1"];
  return [...flags, ...asHeader, ...load, "-u", `${victim.address}${path}`];
}
