import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

export interface Definition {
  file: string;
  /** Both from 1, as editors count. */
  start: { line: number; offset: number };
}

export interface LanguageServer {
  open(file: string): void;
  /** Where an editor would go from this place: "go to definition". */
  definitions(file: string, line: number, offset: number): Promise<Definition[]>;
  stop(): Promise<void>;
}

/** TypeScript's server of editors, as an editor starts it. It alone follows declaration maps; the compiler does not. */
export function startLanguageServer(): LanguageServer {
  const path = createRequire(import.meta.url).resolve("typescript/lib/tsserver.js");
  const server = spawn(process.execPath, [path, "--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const waiting = new Map<number, (body: unknown) => void>();
  let seq = 0;

  createInterface(server.stdout).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const { request_seq, body } = JSON.parse(line) as { request_seq?: number; body?: unknown };
    if (request_seq !== undefined) waiting.get(request_seq)?.(body);
  });

  const send = (command: string, args: object) => {
    seq += 1;
    server.stdin.write(`${JSON.stringify({ seq, type: "request", command, arguments: args })}\n`);
    return seq;
  };

  return {
    open: (file) => void send("open", { file }),
    definitions(file, line, offset) {
      return new Promise((resolve) => {
        const request = send("definitionAndBoundSpan", { file, line, offset });
        waiting.set(request, (body) =>
          resolve((body as { definitions?: Definition[] } | undefined)?.definitions ?? []),
        );
      });
    },
    async stop() {
      const closed = once(server, "close");
      server.stdin.end();
      await closed;
    },
  };
}
