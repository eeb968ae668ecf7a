// The guide's sample on a real pg-boss. Its declarations are globals here.
import { PgBoss } from "pg-boss";
import { createHandle, events, whenAllAreHandled } from "./events.mjs";

globalThis.boss = new PgBoss(process.env.DATABASE_URL);
boss.on("error", (error) => console.error(error.message));
await boss.start();
globalThis.handle = createHandle();

const { send } = await import("./pg-boss-sample.mjs");
const sent = await Promise.all([...events, ...events].map((event) => send(event)));
await whenAllAreHandled();
await boss.stop();
console.log(`refused ${sent.filter((id) => id === null).length}`);
