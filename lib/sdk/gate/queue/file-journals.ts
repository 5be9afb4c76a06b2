import { randomId } from "../../client/random-id.ts";
import { letGo } from "../../client/waiting/let-go.ts";
import { createJournal, readJournal } from "./journal.ts";
import { findOrphans, HEARTBEAT_MS, type Looks, nameJournal } from "./journal-owner.ts";
import type { NodeFiles, NodeParts } from "./node-files.ts";
import type { SettlementJob } from "./settlement-queue.ts";
import type { SettlementStore } from "./settlement-store.ts";

/** The journals of a folder: one written by this process, and those of processes that ended. */
export function openJournals(node: NodeParts, folder: string): SettlementStore {
  const { files } = node;
  // Journals whose jobs run here, but could not be kept here.
  const taken = new Set<string>();
  const looks: Looks = new Map();
  let opening: Promise<ReturnType<typeof createJournal>> | undefined;

  function open() {
    opening ??= nameJournal(node, randomId("")).then((name) => {
      const journal = createJournal(files, folder, name);
      letGo(setInterval(journal.touch, HEARTBEAT_MS));
      return journal;
    });
    return opening;
  }

  return {
    async load() {
      const found: SettlementJob[] = [];
      for (const name of await findOrphans(node, folder, looks)) {
        if (taken.has(`${folder}/${name}`)) continue;
        const jobs = await takeOver(files, `${folder}/${name}`);
        if (!jobs) continue;
        const journal = await open();
        // Where they cannot be kept here, they are in the old journal for the next process.
        await Promise.all(jobs.list.map(journal.keep)).then(
          () => files.unlink(jobs.path).catch(() => {}),
          () => taken.add(jobs.path),
        );
        found.push(...jobs.list);
      }
      return found;
    },
    keep: (job) => open().then((journal) => journal.keep(job)),
    remove: (job) => open().then((journal) => journal.remove(job)),
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
