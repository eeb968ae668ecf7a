// A process of its own for ssrf.test.ts, since Node reads some settings at its start only: sends one request to the
// address it is given, and prints what came of it.
import { createOutbound } from "../../src/outbound/create-outbound.ts";

const [, , baseAddress = ""] = process.argv;
const outbound = createOutbound({ allowLoopback: true });
const result = await outbound.send({ method: "GET", path: "/test", baseAddress, timeoutMs: 5_000 });
console.log(JSON.stringify(result.ok ? { ok: true, status: result.status } : result));
await outbound.close();
