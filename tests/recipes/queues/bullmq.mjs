// Runs the guide's sample with BullMQ and Redis. The globals are variables that the sample expects.
import { Queue, Worker } from "bullmq";
import { createHandle, events, waitUntilAllAreHandled } from "./events.mjs";

const connection = { url: process.env.REDIS_URL };
globalThis.queue = new Queue(process.env.QUEUE, { connection });
globalThis.handle = createHandle();

const { send, processor } = await import("./bullmq-sample.mjs");
const jobs = await Promise.all([...events, ...events].map((event) => send(event)));
const worker = new Worker(process.env.QUEUE, processor, { connection });
await waitUntilAllAreHandled();
await worker.close();
console.log(`deduplicated ${jobs.length - new Set(jobs.map(({ id }) => id)).size}`);
await queue.obliterate({ force: true });
await queue.close();
