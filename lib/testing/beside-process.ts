import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { hasEnded } from "./has-ended.ts";

/** Works beside a detached process, then ends it and what it started, as Ctrl-C does, also where the work fails. */
export async function besideProcess<T>(child: ChildProcess, work: () => Promise<T>): Promise<T> {
  const exited = once(child, "exit");
  try {
    return await work();
  } finally {
    if (!hasEnded(child)) process.kill(-(child.pid as number), "SIGINT");
    await exited;
  }
}
