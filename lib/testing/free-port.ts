import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems give to outgoing connections, which could take one before the test's server does. */
const [FIRST, END] = [20_000, 32_000];

/** A port for a server that starts later and can't tell which port it took. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((found) => {
    const server = createServer();
    server.once("error", () => found(false));
    server.listen(port, () => server.close(() => found(true)));
  });
