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

const newestFirst = (a: KeptRun, b: KeptRun) => b.run.startedAt.localeCompare(a.run.startedAt);

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
    setRuns((before) =>
      [kept, ...(before ?? []).filter(({ id }) => id !== kept.id)].toSorted(newestFirst),
    );
    within("readwrite", (store) => store.put(kept)).catch(() => undefined);
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
