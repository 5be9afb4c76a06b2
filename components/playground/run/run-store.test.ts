import { expect, test, vi } from "vitest";
import { forgetRuns, moveVisitorRun, runStoreOf } from "./run-store.ts";

/** Records which databases are opened and deleted; nothing can be opened. */
function recordDatabases() {
  const [opened, deleted]: [string[], string[]] = [[], []];
  const request = () => {
    const made = { onerror: () => {}, onsuccess: () => {}, error: new Error("Not here.") };
    queueMicrotask(() => made.onerror());
    return made;
  };
  vi.stubGlobal("indexedDB", {
    open: (name: string) => {
      opened.push(name);
      return request();
    },
    deleteDatabase: (name: string) => {
      deleted.push(name);
      return request();
    },
  });
  return { opened, deleted };
}

test("each account and the visitors of a browser have their own runs", async () => {
  const { opened } = recordDatabases();
  for (const account of ["0xa", "0xb", null]) {
    await expect(runStoreOf(account).count()).rejects.toThrow("Not here.");
  }
  expect(new Set(opened).size).toBe(3);
});

test("signing out deletes the runs of that account, and waits for no browser that cannot", async () => {
  const { opened, deleted } = recordDatabases();
  await runStoreOf("0xa")
    .count()
    .catch(() => undefined);
  await forgetRuns("0xa");
  expect(deleted).toEqual(opened);
  const refuse = () => {
    throw new Error("Storage is off.");
  };
  for (const none of [undefined, { deleteDatabase: refuse }]) {
    vi.stubGlobal("indexedDB", none);
    await forgetRuns("0xa");
  }
});

test("a visitor's run stays where it is until the account has it", async () => {
  const deleted: string[] = [];
  const store = {
    get: () => {
      const request = { result: { id: "run", run: {} }, onsuccess: () => {} };
      queueMicrotask(() => request.onsuccess());
      return request;
    },
    delete: (id: string) => deleted.push(id),
  };
  const transaction = () => {
    const own = { oncomplete: () => {}, objectStore: () => store };
    setTimeout(() => own.oncomplete());
    return own;
  };
  const open = () => {
    const made = { onsuccess: () => {}, result: { transaction, close: () => {} } };
    queueMicrotask(() => made.onsuccess());
    return made;
  };
  vi.stubGlobal("indexedDB", { open });
  const put = vi.fn(async () => [] as string[]).mockRejectedValueOnce(new Error("It is full."));
  const to = { ...runStoreOf("0xa"), put };
  await expect(moveVisitorRun("run", to)).rejects.toThrow("It is full.");
  expect(deleted).toEqual([]);
  await moveVisitorRun("run", to);
  expect(put).toHaveBeenLastCalledWith({ id: "run", run: {} });
  expect(deleted).toEqual(["run"]);
});
