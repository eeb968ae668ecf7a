// The guide's sample on a real pg-boss. Its declaration is a global here.
import { createHandle, events, whenAllAreHandled } from "./events.mjs";

globalThis.handle = createHandle();

const { boss, send } = await import("../../../scripts/recipes/queues/pg-boss-sample.mjs");
const sent = await Promise.all([...events, ...events].map((event) => send(event)));
await whenAllAreHandled();
await boss.stop();
console.log(`refused ${sent.filter((id) => id === null).length}`);
