import { Writable } from "node:stream";
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from "vitest/node";

type Entity = TestCase | TestModule | TestSuite;

/** Prints progress, and each failure with its output and the command that reruns only that test. A test that prints something fails. */
export class TestReporter implements Reporter {
  /** Captures vitest's messages and the output that worker processes write directly to their streams. Prints only reported errors. */
  readonly stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      if (this.#isReporting) process.stdout.write(chunk);
      else this.#strayOutput += chunk;
      done();
    },
  });
  readonly counts = { passed: 0, failed: 0, skipped: 0 };
  #vitest!: Vitest;
  /** Whether `#printErrors` is running. If so, `stream` prints what vitest writes. */
  #isReporting = false;
  #strayOutput = "";
  readonly #output = new Map<string, string>();
  #fileCount = 0;
  #doneCount = 0;
  readonly #startedAt = performance.now();

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly unknown[]): void {
    this.#fileCount = specifications.length;
  }

  onUserConsoleLog({ taskId, content }: { taskId?: string; content: string }): void {
    const id = taskId ?? "";
    this.#output.set(id, (this.#output.get(id) ?? "") + content);
  }

  onTestModuleEnd(module: TestModule): void {
    // Slow tests may print measurements. onTestRunEnd reports them after the run.
    const mustBeQuiet = module.project.name !== "slow";
    const failedSuites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
    // A file that cannot be loaded has no tests.
    for (const entity of [module, ...failedSuites])
      for (const error of entity.errors()) this.#reportFailure(entity, error);
    for (const test of module.children.allTests()) {
      const { state, errors = [] } = test.result();
      if (state === "failed") this.#reportFailure(test, ...errors);
      else if (mustBeQuiet && this.#output.has(test.id))
        this.#reportFailure(test, new Error("A test must not print: capture its output."));
      else if (state !== "pending") this.counts[state]++;
    }
    this.#doneCount++;
    const countTenths = (files: number) => Math.floor((10 * files) / this.#fileCount);
    const hasReachedTenth = countTenths(this.#doneCount) > countTenths(this.#doneCount - 1);
    if (this.#fileCount >= 20 && hasReachedTenth) this.#printProgress();
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    for (const error of unhandledErrors)
      this.#recordFailure("error outside of any test", () => this.#printErrors(error));
    for (const module of modules) if (module.project.name === "slow") this.#printMeasurements(module);
    // A worker process that ends unexpectedly writes the reason to its streams.
    if (this.counts.failed > 0 && this.#strayOutput)
      console.log(`Written directly to the workers' streams:\n${this.#strayOutput.trimEnd()}`);
  }

  #printProgress(): void {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1_000);
    const { passed, failed } = this.counts;
    const failures = failed > 0 ? `, ${failed} failed` : "";
    console.log(
      `   ${String(seconds).padStart(4)} s  ${this.#doneCount} of ${this.#fileCount} files, ${passed} passed${failures}`,
    );
  }

  #reportFailure(entity: Entity, ...errors: unknown[]): void {
    this.#recordFailure(formatName(entity), () => {
      this.#printErrors(...errors);
      const output = this.#takeOutput(entity);
      if (output) console.log(`  Output:\n${output.trimEnd()}`);
      console.log(`  Run it alone: ${formatRerunCommand(entity)}\n`);
    });
  }

  /** Removes and returns the captured output of an entity, so that the output is printed only once. */
  #takeOutput({ id }: Entity): string | undefined {
    const output = this.#output.get(id);
    this.#output.delete(id);
    return output;
  }

  #printMeasurements(module: TestModule): void {
    for (const entity of [module, ...module.children.allSuites(), ...module.children.allTests()]) {
      const output = this.#takeOutput(entity);
      if (output) console.log(`${formatName(entity)}\n${output.trimEnd()}`);
    }
  }

  #recordFailure(title: string, printDetails: () => void): void {
    this.counts.failed++;
    console.log(`\nFAILED ${title}`);
    printDetails();
  }

  #printErrors(...errors: readonly unknown[]): void {
    this.#isReporting = true;
    for (const error of errors) this.#vitest.logger.printError(error);
    this.#isReporting = false;
  }
}

const getModule = (entity: Entity): TestModule => (entity.type === "module" ? entity : entity.module);

const formatName = (entity: Entity): string =>
  [getModule(entity).relativeModuleId, ...(entity.type === "module" ? [] : [entity.fullName])].join(" > ");

/** Builds the command that runs only this file or test. */
function formatRerunCommand(entity: Entity): string {
  const file = `npm test -- ${getModule(entity).relativeModuleId}`;
  if (entity.type === "module") return file;
  // vitest compares the regular expression with names that are joined by spaces.
  const pattern = entity.fullName.replaceAll(" > ", " ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `${file} -t '${pattern.replaceAll("'", "'\\''")}'`;
}
