import type { NodeFileHandle, NodeFiles } from "./node-files.ts";

/** A file of lines that is appended to, and survives a crash at any point. Readable by its owner alone. */
export function createJournalFile(files: NodeFiles, folder: string, name: string) {
  const path = `${folder}/${name}`;
  let handle: NodeFileHandle | null = null;
  let isNamed = false;
  let isGone = false;

  async function close(): Promise<void> {
    const open = handle;
    handle = null;
    isNamed = false;
    isGone = false;
    await open?.close().catch(() => {});
  }

  // A new name is on disk only once its folder is; some systems cannot sync a folder.
  async function syncFolder(): Promise<void> {
    const opened = await files.open(folder, "r").catch(() => null);
    await opened?.sync().catch(() => {});
    await opened?.close().catch(() => {});
  }

  async function write(lines: readonly string[], isUrgent: boolean): Promise<void> {
    const isNew = handle === null;
    if (isNew) await files.mkdir(folder, { recursive: true, mode: 0o700 });
    handle ??= await files.open(path, "a", 0o600);
    // The first line starts on a new one, after whatever an interrupted write left.
    const text = (isNew ? "\n" : "") + toText(lines);
    if (!isUrgent) return files.appendNow(handle.fd, text);
    await handle.appendFile(text);
    await handle.sync();
    if (!isNamed) await syncFolder();
    isNamed = true;
  }

  const hasName = () =>
    files.stat(path).then(
      () => true,
      () => false,
    );

  return {
    close,
    /** Resolves when the lines are on disk, or, without hurry, with the system. */
    async append(lines: readonly string[], isUrgent: boolean): Promise<void> {
      if (isGone) await close();
      await write(lines, isUrgent);
      // While this process is suspended, another may take the file, and reads it only once.
      if (!isUrgent || (await hasName())) return;
      await close();
      await write(lines, isUrgent);
    },
    /** Replaces all lines at once. */
    async replace(lines: readonly string[]): Promise<void> {
      await close();
      const draft = `${path}.new`;
      const fresh = await files.open(draft, "w", 0o600);
      try {
        await fresh.appendFile(toText(lines));
        await fresh.sync();
      } finally {
        await fresh.close();
      }
      await files.rename(draft, path);
      await syncFolder();
    },
    async remove(): Promise<void> {
      await close();
      await files.unlink(path).catch(() => {});
    },
    async touch(): Promise<void> {
      const now = new Date();
      await files.utimes(path, now, now).catch(() => {
        isGone = true;
      });
    },
  };
}

const toText = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
