import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/** Waits until a process says where it listens. */
export function startListening(child: ChildProcess): Promise<{ child: ChildProcess; address: string }> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error("its output is not piped");
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    for (const input of [stdout, stderr])
      createInterface({ input }).on("line", (line) => {
        said.push(line);
        const [, address] = /listening on (http:\/\/[\w.]+:\d+)/.exec(line) ?? [];
        if (address) resolve({ child, address });
      });
    child.once("exit", (code) => reject(new Error(`it ended with ${code}:\n${said.join("\n")}`)));
  });
}
