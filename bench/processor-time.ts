import { readdirSync, readFileSync } from "node:fs";

/** The processor time of one process, in milliseconds, finer than its ticks. */
export const runMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** What follows a process's name in its line of the kernel: state, parent, … */
const statOf = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
};
export const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** The processor time of a process, its children and those that ended, in ticks of 10 ms. */
export const cpuMs = (root: number): number => 10 * cpuTicks(root);
function cpuTicks(root: number): number {
  const ofTree = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = statOf(Number(name));
        const isOurs = Number(name) === root || Number(stat[1]) === root;
        return isOurs ? [stat] : [];
      } catch {
        return [];
      }
    });
  return ofTree.reduce(
    (sum, stat) =>
      sum +
      Number(stat[11]) +
      Number(stat[12]) +
      (Number(stat[1]) === root ? 0 : Number(stat[13]) + Number(stat[14])),
    0,
  );
}
