import { randomId } from "../../client/random-id.ts";
import { PaymentsError } from "../../protocol/errors.ts";
import { createJournal, readJournal } from "./journal.ts";
import { findOrphans, HEARTBEAT_MS, nameJournal } from "./journal-owner.ts";
import { findNode, type NodeFiles } from "./node-files.ts";
import { letGo } from "./retry.ts";
import type { SettlementJob } from "./settlement-queue.ts";
import type { SettlementStore } from "./settlement-store.ts";

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
      "This runtime has no file system to keep settlements in. Pass the gate a queue on another store.",
    );
  }
  const { files } = node;
  let opening: Promise<ReturnType<typeof createJournal>> | undefined;

  function open() {
    opening ??= nameJournal(node as NonNullable<typeof node>, randomId("")).then((name) => {
      const journal = createJournal(files, folder, name);
      letGo(setInterval(journal.touch, HEARTBEAT_MS));
      return journal;
    });
    return opening;
  }

  return {
    async load() {
      const taken: SettlementJob[] = [];
      for (const name of await findOrphans(node, folder)) {
        const jobs = await takeOver(files, `${folder}/${name}`);
        if (!jobs) continue;
        const journal = await open();
        await Promise.all(jobs.list.map(journal.keep));
        await files.unlink(jobs.path).catch(() => {});
        taken.push(...jobs.list);
      }
      return taken;
    },
    keep: async (job) => (await open()).keep(job),
    remove: async (job) => (await open()).remove(job),
  };
}

/** An orphaned journal's jobs, or `null` when another process was first. */
async function takeOver(files: NodeFiles, orphan: string) {
  // Renaming is the claim: it succeeds for one process. The new name is a journal's too, so after a
  // crash here the next process takes it over.
  const path = orphan.replace(/[^~/]+\.journal$/, `${randomId("")}.journal`);
  try {
    await files.rename(orphan, path);
    await files.unlink(`${orphan}.new`).catch(() => {});
    return { path, list: readJournal(await files.readFile(path, "utf8")) };
  } catch {
    return null;
  }
}
