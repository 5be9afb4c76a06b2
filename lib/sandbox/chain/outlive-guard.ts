import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends `child` when this process ends for any reason: a helper waits until the pipe from this process closes. A signal
 * handler would not run after `kill -9`.
 */
export function guardAgainstOutliving(child: ChildProcess): void {
  const pid = child.pid;
  if (pid === undefined) return;
  const [program, args]: [string, string[]] =
    process.platform === "win32"
      ? [process.execPath, ["-e", `process.stdin.resume().on("close",()=>process.kill(${pid}))`]]
      : ["/bin/sh", ["-c", 'cat >/dev/null; kill -KILL "$0" 2>/dev/null', String(pid)]];
  const guard = spawn(program, args, {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.on("error", () => {});
  guard.stdin?.on("error", () => {});
  guard.unref();
  // The child's process id may be reused after it ends, so stop the guard first.
  child.once("exit", () => guard.kill("SIGKILL"));
}
