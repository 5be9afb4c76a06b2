import { PaymentsError } from "../../protocol/errors.ts";
import { findNode } from "./node-files.ts";
import type { SettlementStore } from "./settlement-store.ts";

/** Settings of `fileStore`. */
export type FileStoreOptions = {
  /** The journals' folder, one per service and account. It contains access tokens: keep it private. */
  folder: string;
};

/**
 * Keeps jobs in an append-only file that only this process writes, and takes over the files of processes
 * that ended or were killed. Nothing is created before the first job. Throws `invalid_input` where the
 * runtime has no files.
 *
 * @example createDurableQueue(createFileStore({ folder: "/var/lib/agent/settlements" }))
 */
export function createFileStore({ folder }: FileStoreOptions): SettlementStore {
  const node = findNode();
  if (!node) {
    throw new PaymentsError(
      "invalid_input",
      "This runtime has no file system to keep settlements in, or is a Node before 20.16. Pass the gate a queue on another store.",
    );
  }
  // Loaded when a gate starts, so a bundle for a runtime without files does not carry it.
  const opening = import("./file-journals.ts").then(({ openJournals }) =>
    openJournals(node, folder),
  );
  const load = () => opening.then((journals) => journals.load());
  return {
    load,
    // A machine that was replaced a moment ago counts as alive for a while.
    adopt: load,
    keep: (job) => opening.then((journals) => journals.keep(job)),
    remove: (job) => opening.then((journals) => journals.remove(job)),
  };
}
