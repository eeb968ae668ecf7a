// What pg-boss alone does in a second over the same store: fetch and complete in turn, no rows of ours, no HTTP.
import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { openStore } from "../../examples/platform/src/store/open-store.ts";

const [, , options = "", count = "0"] = process.argv;
const jobs = Number(count);
const batchSize = 128;

const store = await openStore(JSON.parse(options));
const boss = new PgBoss({
  db: { executeSql: (text, values) => store.execute(text, values) },
  backend: store.name,
  schedule: false,
});
await boss.start();
await boss.createQueue("raw");
for (let made = 0; made < jobs; made += 1_000)
  await boss.insert(
    "raw",
    Array.from({ length: 1_000 }, () => ({ data: { key: randomUUID() } })),
  );
await store.execute("analyze");

const start = performance.now();
let completed = 0;
const work = async (): Promise<void> => {
  for (;;) {
    const batch = await boss.fetch("raw", { batchSize });
    if (batch.length === 0) return;
    await boss.complete("raw", batch);
    completed += batch.length;
  }
};
await work();
const seconds = (performance.now() - start) / 1_000;
if (completed < jobs) throw new Error(`${completed} jobs completed of ${jobs}`);
await boss.stop({ graceful: false, close: false });
await store.close();
process.send?.(completed / seconds);
process.on("disconnect", () => process.exit());
