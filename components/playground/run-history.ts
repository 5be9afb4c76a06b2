"use client";

import { useCallback, useEffect, useState } from "react";
import { redactRun } from "@/lib/playground/redact.ts";
import type { Run } from "@/lib/playground/run.ts";

export type KeptRun = { id: string; name: string | null; isPinned: boolean; run: Run };

const DATABASE = "turnpike-playground";
const STORE = "runs";

/** The browser's own database: it holds thousands of runs where local storage holds a few. */
function open(): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(STORE, { keyPath: "id" });
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise((done, failed) => {
      const request = work(database.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => done(request.result);
      request.onerror = () => failed(request.error);
    });
  } finally {
    database.close();
  }
}

/** Runs beyond this are forgotten, the oldest first; pinned ones stay. */
const MOST_KEPT = 50;

/** What a kept run is called: its own name, else its request. */
export const nameOf = ({ name, run: { input } }: KeptRun): string =>
  name ?? `${input.method} ${URL.canParse(input.url) ? new URL(input.url).pathname : input.url}`;

const newestFirst = (a: KeptRun, b: KeptRun) => b.run.startedAt.localeCompare(a.run.startedAt);

/** The runs that stay, of those given newest first, and those that go. */
function dropOld(runs: KeptRun[]): { kept: KeptRun[]; dropped: KeptRun[] } {
  const dropped = runs.filter(({ isPinned }) => !isPinned).slice(MOST_KEPT);
  return { kept: runs.filter((run) => !dropped.includes(run)), dropped };
}

/** Runs kept in this browser, newest first, without secrets; nothing of them leaves it. */
export function useRunHistory() {
  const [runs, setRuns] = useState<KeptRun[] | null>(null);

  useEffect(() => {
    within<KeptRun[]>("readonly", (store) => store.getAll()).then(
      (all) => setRuns(all.toSorted(newestFirst)),
      // A browser that keeps nothing (private windows) still shows the runs of this page.
      () => setRuns([]),
    );
  }, []);

  const put = useCallback((kept: KeptRun) => {
    const withKept = (all: KeptRun[]) =>
      [kept, ...all.filter(({ id }) => id !== kept.id)].toSorted(newestFirst);
    setRuns((before) => dropOld(withKept(before ?? [])).kept);
    within("readwrite", (store) => store.put(kept))
      .then(() => within<KeptRun[]>("readonly", (store) => store.getAll()))
      .then(async (all) => {
        for (const { id } of dropOld(all.toSorted(newestFirst)).dropped) {
          await within("readwrite", (store) => store.delete(id));
        }
      })
      .catch(() => undefined);
  }, []);
  const keep = useCallback(
    (run: Run, name: string | null = null): string => {
      const id = crypto.randomUUID();
      put({ id, name, isPinned: false, run: redactRun(run) });
      return id;
    },
    [put],
  );
  const clear = useCallback(() => {
    setRuns((before) => (before ?? []).filter(({ isPinned }) => isPinned));
    within<KeptRun[]>("readonly", (store) => store.getAll())
      .then(async (all) => {
        for (const { id, isPinned } of all) {
          if (!isPinned) await within("readwrite", (store) => store.delete(id));
        }
      })
      .catch(() => undefined);
  }, []);
  return { runs, keep, put, clear };
}
