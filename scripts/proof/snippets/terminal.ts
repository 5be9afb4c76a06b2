import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";

const RUN_TIMEOUT_MS = 180_000;
const READY_TIMEOUT_MS = 90_000;

export type Terminal = ReturnType<typeof openTerminal>;

/** A reader's terminal: commands run one after the other in its folder, servers until it is closed. */
export function openTerminal(start: string, env: Record<string, string>) {
  let folder = start;
  const servers: ChildProcess[] = [];
  const open = (command: string): ChildProcess =>
    spawn("sh", ["-ec", command], {
      cwd: folder,
      // Next's types ask for NODE_ENV, which readers do not set.
      env: env as NodeJS.ProcessEnv,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });

  return {
    folder: () => folder,

    async run(code: string): Promise<string> {
      const child = open(`${code}\nprintf '\\n::folder::%s' "$PWD"`);
      const timer = setTimeout(() => end(child), RUN_TIMEOUT_MS);
      const { status, printed } = await ended(child);
      clearTimeout(timer);
      const [text = "", last] = printed.split("\n::folder::");
      if (status !== 0 || last === undefined) {
        throw new Error(`ended with ${status}:\n${printed.slice(-3_000)}`);
      }
      folder = last.trim();
      return text;
    },

    /** Starts a server, and waits until its port takes connections. */
    async serve(code: string, port: number): Promise<void> {
      const child = open(code);
      servers.push(child);
      const printed = ended(child);
      const deadline = Date.now() + READY_TIMEOUT_MS;
      while (!(await isOpen(port))) {
        if (child.exitCode !== null || Date.now() > deadline) {
          end(child);
          throw new Error(`does not listen:\n${(await printed).printed.slice(-3_000)}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },

    /** Stops every server, and waits until the port is free. */
    async stop(port: number): Promise<void> {
      for (const child of servers.splice(0)) end(child);
      while (await isOpen(port)) await new Promise((resolve) => setTimeout(resolve, 50));
    },
  };
}

/** Ends a command with everything it started. */
function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function ended(child: ChildProcess): Promise<{ status: number | null; printed: string }> {
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      printed += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once("close", (status) => resolve({ status, printed }));
  });
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "localhost", autoSelectFamily: true });
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
