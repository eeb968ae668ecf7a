// A process for ssrf.test.ts, because Node reads some settings only when it starts. It sends one request to the address in its first
// argument, and prints the result.
import { sendRequest } from "./send-request.ts";

const [, , baseAddress = ""] = process.argv;
const result = await sendRequest({ allowLoopback: true }, { baseAddress });
console.log(JSON.stringify(result.ok ? { ok: true, status: result.status } : result));
