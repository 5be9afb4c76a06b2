/** A plain JSON-RPC call, for anvil's own methods. */
export type AnvilRpc = <Result = unknown>(method: string, params: unknown[]) => Promise<Result>;

/** Creates an {@link AnvilRpc} that throws the node's errors. */
export function createAnvilRpc(rpcUrl: string): AnvilRpc {
  let id = 0;
  return async <Result>(method: string, params: unknown[]) => {
    id += 1;
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    });
    const answer = (await response.json()) as { result?: Result; error?: { message: string } };
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result as Result;
  };
}
