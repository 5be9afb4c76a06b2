import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends `child` when this process dies, however it dies: a helper waits for the end of a pipe that only we hold.
 * A signal handler would not do, since nothing runs after `kill -9`.
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
  // Once the child is gone its number may be given to another process, so the guard must go first.
  child.once("exit", () => guard.kill("SIGKILL"));
}
