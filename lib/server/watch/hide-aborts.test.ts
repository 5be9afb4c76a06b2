import { createServer } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { hideAborts } from "./hide-aborts.ts";

/** What Node.js says of a request whose client leaves before its body has come. */
function readAbort(): Promise<unknown> {
  return new Promise((told) => {
    const server = createServer((request) => {
      request.resume().on("error", (cause) => {
        server.close();
        told(cause);
      });
      socket.destroy();
    });
    const socket = new Socket();
    server.listen(0, "127.0.0.1", () => {
      socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n");
    });
  });
}

test("a request that its client left is not written, and everything else is", async () => {
  const written: unknown[][] = [];
  const scope = { error: (...said: unknown[]) => void written.push(said) };
  hideAborts(scope);
  scope.error(await readAbort());
  expect(written).toEqual([]);
  const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  for (const said of [[reset], [new Error("aborted")], ["aborted", 1]]) scope.error(...said);
  expect(written).toEqual([[reset], [new Error("aborted")], ["aborted", 1]]);
});
