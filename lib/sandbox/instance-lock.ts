import { createHash } from "node:crypto";
import { unlinkSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Locks a data folder for this process: the embedded parts have no locks, and two processes would corrupt them. The
 * lock is a listening socket, so the system frees it when the process ends for any reason. Throws an Error that says
 * what to do if another process holds it.
 */
export async function lockInstance(dataDir: string): Promise<() => Promise<void>> {
  const path = socketPath(resolve(dataDir));
  if (await isAnswered(path)) {
    throw new Error(
      `Another Turnpike is running on the data folder ${dataDir}. Stop it first, or set TURNPIKE_DATA_DIR, PORT and AGENT_PORT to run a second one.`,
    );
  }
  removeStale(path);
  const server = await listen(path);
  return () => new Promise((done) => server.close(() => done()));
}

// A socket path is limited to about 100 characters, so hash the folder.
function socketPath(dataDir: string): string {
  const name = `turnpike-${createHash("sha256").update(dataDir).digest("hex").slice(0, 24)}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`);
}

const isAnswered = (path: string): Promise<boolean> =>
  new Promise((answer) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
    socket.once("error", () => answer(false));
  });

function removeStale(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // There is no stale socket.
  }
}

const listen = (path: string): Promise<Server> =>
  new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", fail);
    server.listen(path, () => {
      server.unref();
      done(server);
    });
  });
