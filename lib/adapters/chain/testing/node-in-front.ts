import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { id: number; method: string; params?: unknown };

/** What a node says instead of the chain's answer: the fields of a response, or text that is none; undefined says the chain's. */
export type SaysInstead = (call: Call) => object | string | undefined;

/** JSON-RPC's error of a node that does not offer a method. */
export const METHOD_NOT_FOUND = { error: { code: -32601, message: "the method does not exist" } };

/** Starts a node in front of the chain's, which passes on what `instead` does not answer. */
export async function startNodeInFront(
  rpcUrl: () => string,
  instead: SaysInstead,
): Promise<{ rpcUrl: string; close: () => void }> {
  const answer = async (calls: Call | Call[]): Promise<unknown> => {
    const response = await fetch(rpcUrl(), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls),
    });
    const answers = (await response.json()) as { id: number }[] | { id: number };
    const list = [calls].flat();
    const said = [answers].flat().map((each) => {
      const call = list.find(({ id }) => id === each.id);
      const other = call && instead(call);
      if (other === undefined) return each;
      return typeof other === "string" ? other : { jsonrpc: "2.0", id: each.id, ...other };
    });
    return Array.isArray(calls) ? said : said[0];
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", async () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(await answer(JSON.parse(text))));
    });
  });
  await new Promise<void>((started) => server.listen(0, "127.0.0.1", started));
  const { port } = server.address() as AddressInfo;
  return { rpcUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}
