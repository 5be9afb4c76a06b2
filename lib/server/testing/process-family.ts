import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const HAS_PROC = existsSync("/proc/self/status");

/** The processes a process started, and those they started. */
export function descendantsOf(pid: number, hasProc = HAS_PROC): number[] {
  const children = hasProc ? childrenInProc(pid) : childrenInPs(pid);
  return [...children, ...children.flatMap((child) => descendantsOf(child, hasProc))];
}

/** Whether it runs. A zombie has ended; it only waits for its parent to notice. */
export function isAlive(pid: number, hasProc = HAS_PROC): boolean {
  try {
    const state = hasProc
      ? /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
      : ps("-o", "stat=", "-p", String(pid)).trim();
    return state !== undefined && !/^(Z|$)/.test(state);
  } catch {
    return false;
  }
}

function childrenInProc(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** macOS has no /proc. */
const childrenInPs = (pid: number): number[] =>
  Array.from(ps("-A", "-o", "pid=,ppid=").matchAll(/^\s*(\d+)\s+(\d+)\s*$/gm))
    .filter(([, , parent]) => Number(parent) === pid)
    .map(([, child]) => Number(child));

const ps = (...args: string[]) => execFileSync("ps", args, { encoding: "utf8" });
