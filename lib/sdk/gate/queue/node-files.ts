/** The parts of Node's `fs.promises` that a journal needs, so that nothing here imports Node. */
export type NodeFiles = {
  /** `fs.appendFileSync`: cheaper for a short line than a thread's way there and back, if it isn't synced. */
  appendNow(file: number, text: string): void;
  /** Runs it after what came in at the same time. */
  setImmediate(run: () => void): unknown;
  mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;
  open(path: string, flags: string, mode?: number): Promise<NodeFileHandle>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string, encoding: "utf8"): Promise<string>;
  readlink(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  stat(path: string): Promise<{ mtimeMs: number }>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
};

export type NodeFileHandle = {
  fd: number;
  appendFile(text: string): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
};

/** This process, distinguishable from every other that may use the same folder. */
export type NodeProcess = {
  host: string;
  pid: number;
  isAlive(pid: number): boolean;
};

/** What a journal needs of Node. */
export type NodeParts = { files: NodeFiles; process: NodeProcess };

type Builtins = {
  pid: number;
  kill(pid: number, signal: 0): unknown;
  getBuiltinModule?(name: "node:fs"): {
    promises: Omit<NodeFiles, "appendNow" | "setImmediate">;
    appendFileSync: NodeFiles["appendNow"];
  };
  getBuiltinModule?(name: "node:os"): { hostname(): string };
};

type Globals = { process?: Builtins } & Partial<Pick<NodeFiles, "setImmediate">>;

/**
 * Node's files and this process where the runtime has them, else `null`. Looked up instead of imported,
 * so that bundles for edge runtimes contain no Node module.
 */
export function findNode(): NodeParts | null {
  const { process, setImmediate } = globalThis as Globals;
  try {
    const fs = process?.getBuiltinModule?.("node:fs");
    const os = process?.getBuiltinModule?.("node:os");
    if (!process || !fs || !os || !setImmediate) return null;
    const files = { ...fs.promises, appendNow: fs.appendFileSync, setImmediate };
    return { files, process: { host: os.hostname(), pid: process.pid, isAlive } };
  } catch {
    return null;
  }

  function isAlive(pid: number): boolean {
    try {
      process?.kill(pid, 0);
      return true;
    } catch (error) {
      // The process is alive, but belongs to another user.
      return (error as { code?: unknown }).code === "EPERM";
    }
  }
}
