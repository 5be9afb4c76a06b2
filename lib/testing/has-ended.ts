import type { ChildProcess } from "node:child_process";

/** Whether a process has ended: one that a signal killed has no exit code. */
export const hasEnded = ({
  exitCode,
  signalCode,
}: Pick<ChildProcess, "exitCode" | "signalCode">): boolean =>
  exitCode !== null || signalCode !== null;
