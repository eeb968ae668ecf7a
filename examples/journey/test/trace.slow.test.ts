import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { type OtlpTraces, toSpans } from "../src/tracing/collector.ts";

const main = join(import.meta.dirname, "../src/main.ts");

test("--trace writes the traces as OTLP JSON, and prints the trace of the offer that survived a failure and a kill -9", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-traces-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { stdout } = await promisify(execFile)(process.execPath, [main, "--once", "--trace"], { cwd: folder });
  expect(stdout).toMatch(/^journey: \d+ steps passed, 0 failed$/m);

  // ExportTraceServiceRequest: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
  const traces = JSON.parse(await readFile(join(folder, "journey-traces.json"), "utf8")) as OtlpTraces;
  expect(Object.keys(traces)).toEqual(["resourceSpans"]);
  const spans = toSpans(traces);
  for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
    expect(traceId).toMatch(/^[\da-f]{32}$/);
    expect(spanId).toMatch(/^[\da-f]{16}$/);
    expect([startTimeUnixNano, endTimeUnixNano].join()).toMatch(/^\d{19},\d{19}$/);
  }
  expect([...new Set(spans.map(({ service }) => service))].sort()).toEqual(["hirer", "integrator", "platform"]);

  const tree = stdout.slice(stdout.indexOf("CreateOffer"), stdout.indexOf("All traces")).trim().split("\n");
  const times = / {2}(hirer|platform|integrator) +\+\d+\.\d{3} s +\d+\.\d ms$/;
  for (const line of tree) expect(line).toMatch(times);
  // The notifications of the three phones have equal lines, and so do two failed attempts on a busy machine. The first attempt to send the
  // second response has no span, because the process that made the attempt was killed.
  const names = tree.map((line) => line.replace(/^(.*\S) +(\S+) +\+.*$/, "$1 $2"));
  expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
    "CreateOffer 201 hirer",
    "└─ POST /offer 201 platform",
    "   ├─ push notification platform",
    "   ├─ worker response platform",
    "   │  ├─ POST /offer/response 500 platform",
    "   │  └─ POST /offer/response 200 platform",
    "   │     └─ webhook WorkerOfferResponse 200 integrator",
    "   └─ worker response platform",
    "      └─ POST /offer/response 200 platform",
    "         └─ webhook WorkerOfferResponse 200 integrator",
  ]);
});
