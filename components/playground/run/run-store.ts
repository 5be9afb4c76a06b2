import type { Run } from "@/lib/playground/run.ts";

export type KeptRun = { id: string; name: string | null; isPinned: boolean; run: Run };

/** As it is kept: `looseAt` stands on runs that are not pinned only, so its index holds just those. */
type Row = KeptRun & { looseAt?: string };

const DATABASE = "turnpike-playground";
const STORE = "runs";
const BY_TIME = "startedAt";
const BY_LOOSE = "looseAt";
/** Runs beyond this are forgotten, the oldest first; pinned ones stay. */
const MOST_LOOSE = 50;

const rowOf = ({ id, name, isPinned, run }: KeptRun): Row => ({
  id,
  name,
  isPinned,
  run,
  ...(!isPinned && { looseAt: run.startedAt }),
});

/** The browser's own database: it holds thousands of runs where local storage holds a few. */
function open(): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open(DATABASE, 2);
    request.onupgradeneeded = () => {
      const { result: database, transaction } = request;
      const isNew = !database.objectStoreNames.contains(STORE);
      const store = isNew
        ? database.createObjectStore(STORE, { keyPath: "id" })
        : (transaction as IDBTransaction).objectStore(STORE);
      store.createIndex(BY_TIME, "run.startedAt");
      store.createIndex(BY_LOOSE, "looseAt");
      if (isNew) return;
      // Runs of the first version know nothing of `looseAt`.
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

/** One transaction; ends when what it changed is kept. */
async function within<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore, hand: (result: T) => void) => void,
): Promise<T | undefined> {
  const database = await open();
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

/** How many runs are kept. */
export async function countRuns(): Promise<number> {
  const count = await within<number>("readonly", (store, hand) => {
    const request = store.count();
    request.onsuccess = () => hand(request.result);
  });
  return count ?? 0;
}

/** Runs from the newest on, `skip` of them left out: only what is asked for is read. */
export async function readRuns(skip: number, most: number): Promise<KeptRun[]> {
  const found = await within<KeptRun[]>("readonly", (store, hand) => {
    const runs: KeptRun[] = [];
    hand(runs);
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
      const { looseAt: _, ...kept } = cursor.value as Row;
      if (runs.push(kept) < most) cursor.continue();
    };
  });
  return found ?? [];
}

/** Keeps a run, in place of one with its id; the ids of those that were forgotten for it. */
export async function putRun(kept: KeptRun): Promise<string[]> {
  const forgotten = await within<string[]>("readwrite", (store, hand) => {
    store.put(rowOf(kept));
    hand(forgetLoose(store, MOST_LOOSE));
  });
  return forgotten ?? [];
}

/** Forgets every run that is not pinned. */
export async function clearLoose(): Promise<void> {
  await within("readwrite", (store) => forgetLoose(store, 0));
}

/** By their keys alone; no run is read. What it returns fills until the transaction ends. */
function forgetLoose(store: IDBObjectStore, keep: number): string[] {
  const forgotten: string[] = [];
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
    forgotten.push(String(cursor.primaryKey));
    cursor.continue();
  };
  return forgotten;
}
