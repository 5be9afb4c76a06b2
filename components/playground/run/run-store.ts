import type { Run } from "@/lib/playground/run.ts";

export type KeptRun = { id: string; name: string | null; isPinned: boolean; run: Run };

/** As stored: only unpinned runs have `looseAt`, so its index holds just those. */
type Row = KeptRun & { looseAt?: string };

/** Each account has its own database, and so do the visitors of this browser. */
const databaseOf = (account: string | null) => `turnpike-playground.${account ?? "visitor"}`;
/** Where the runs of all accounts were kept together. */
const TOGETHER = "turnpike-playground";
const STORE = "runs";
const BY_TIME = "startedAt";
const BY_LOOSE = "looseAt";
/** Older unpinned runs beyond this number are deleted. */
const MAX_UNPINNED = 50;

const rowOf = ({ id, name, isPinned, run }: KeptRun): Row => ({
  id,
  name,
  isPinned,
  run,
  ...(!isPinned && { looseAt: run.startedAt }),
});

/** IndexedDB holds thousands of runs; local storage would hold only a few. */
function open(name: string): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open(name, 2);
    request.onupgradeneeded = () => {
      const { result: database, transaction } = request;
      const isNew = !database.objectStoreNames.contains(STORE);
      const store = isNew
        ? database.createObjectStore(STORE, { keyPath: "id" })
        : (transaction as IDBTransaction).objectStore(STORE);
      store.createIndex(BY_TIME, "run.startedAt");
      store.createIndex(BY_LOOSE, "looseAt");
      if (isNew) return;
      // Runs stored by version 1 lack `looseAt`.
      store.openCursor().onsuccess = ({ target }) => {
        const cursor = (target as IDBRequest<IDBCursorWithValue | null>).result;
        cursor?.update(rowOf(cursor.value));
        cursor?.continue();
      };
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

/** Runs one transaction and waits until it is committed. */
async function within<T>(
  name: string,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore, resolve: (result: T) => void) => void,
): Promise<T | undefined> {
  const database = await open(name);
  try {
    return await new Promise((done, failed) => {
      const transaction = database.transaction(STORE, mode);
      let result: T | undefined;
      transaction.oncomplete = () => done(result);
      transaction.onerror = () => failed(transaction.error);
      transaction.onabort = () => failed(transaction.error);
      work(transaction.objectStore(STORE), (given) => {
        result = given;
      });
    });
  } finally {
    database.close();
  }
}

/** The runs of an account in this browser; null: those of its visitors. */
export function runStoreOf(account: string | null) {
  const name = databaseOf(account);
  return {
    async count(): Promise<number> {
      const count = await within<number>(name, "readonly", (store, resolve) => {
        const request = store.count();
        request.onsuccess = () => resolve(request.result);
      });
      return count ?? 0;
    },

    /** Reads a page of runs, newest first. */
    async read(skip: number, limit: number): Promise<KeptRun[]> {
      const found = await within<KeptRun[]>(name, "readonly", (store, resolve) => {
        const runs: KeptRun[] = [];
        resolve(runs);
        let isAhead = skip > 0;
        const request = store.index(BY_TIME).openCursor(null, "prev");
        request.onsuccess = () => {
          const cursor = request.result;
          if (!cursor) return;
          if (isAhead) {
            isAhead = false;
            cursor.advance(skip);
            return;
          }
          if (runs.push(keptOf(cursor.value)) < limit) cursor.continue();
        };
      });
      return found ?? [];
    },

    /** Adds or replaces a run; returns the ids of the runs deleted for it. */
    async put(kept: KeptRun): Promise<string[]> {
      const deleted = await within<string[]>(name, "readwrite", (store, resolve) => {
        store.put(rowOf(kept));
        resolve(deleteUnpinned(store, MAX_UNPINNED));
      });
      return deleted ?? [];
    },

    async clearUnpinned(): Promise<void> {
      await within(name, "readwrite", (store) => deleteUnpinned(store, 0));
    },
  };
}

export type RunStore = ReturnType<typeof runStoreOf>;

const keptOf = ({ looseAt: _, ...kept }: Row): KeptRun => kept;

/** Moves a visitor's run to the account they signed in to. Does nothing if it no longer exists. */
export async function moveVisitorRun(id: string, to: RunStore): Promise<void> {
  const kept = await within<KeptRun>(databaseOf(null), "readonly", (store, resolve) => {
    const request = store.get(id);
    request.onsuccess = () => request.result && resolve(keptOf(request.result));
  });
  if (!kept) return;
  // First, in case the page is closed between the two.
  await to.put(kept);
  await within(databaseOf(null), "readwrite", (store) => void store.delete(id));
}

/** Deletes the runs of an account in this browser. Never rejects: a browser that keeps nothing has none. */
export const forgetRuns = (account: string): Promise<void> => deleteDatabase(databaseOf(account));

/** Deletes the runs that earlier versions kept for all accounts together. */
export const forgetSharedRuns = (): Promise<void> => deleteDatabase(TOGETHER);

const deleteDatabase = (name: string): Promise<void> =>
  new Promise<void>((done) => {
    const request = indexedDB.deleteDatabase(name);
    request.onsuccess = () => done();
    request.onerror = () => done();
    // Another tab reads it: it is deleted as soon as that has ended.
    request.onblocked = () => done();
  }).catch(() => undefined);

/** Deletes by key without reading any run. The returned array is complete once the transaction ends. */
function deleteUnpinned(store: IDBObjectStore, keep: number): string[] {
  const deleted: string[] = [];
  let left = keep;
  const request = store.index(BY_LOOSE).openKeyCursor(null, "prev");
  request.onsuccess = () => {
    const cursor = request.result;
    if (!cursor) return;
    if (left > 0) {
      const step = left;
      left = 0;
      cursor.advance(step);
      return;
    }
    store.delete(cursor.primaryKey);
    deleted.push(String(cursor.primaryKey));
    cursor.continue();
  };
  return deleted;
}
