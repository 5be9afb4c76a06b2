/** A plain JSON-RPC call, for anvil's own methods. */
export type AnvilRpc = <Result = unknown>(method: string, params: unknown[]) => Promise<Result>;

/** The node answered with an error. Any other failure of a call leaves its outcome unknown. */
export class RpcRefusal extends Error {
  override name = "RpcRefusal";
}

/** Creates an {@link AnvilRpc} that throws the node's errors as {@link RpcRefusal}. */
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
    if (answer.error) throw new RpcRefusal(`${method}: ${answer.error.message}`);
    return answer.result as Result;
  };
}
