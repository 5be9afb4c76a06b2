import {
  createPublicClient,
  defineChain,
  type HttpTransport,
  hexToBigInt,
  http,
  type PublicClient,
} from "viem";

/** A viem client of the chain the service settles on. */
export type ChainClient = PublicClient;

/**
 * Connects to a chain. Reads are not retried and time out early: callers decide what no answer means.
 *
 * @example const client = createChainClient({ rpcUrl: "http://127.0.0.1:8545", chainId: 84532 });
 */
export function createChainClient(options: {
  rpcUrl: string;
  chainId: number;
  timeoutMs?: number;
  /** Checked before each call; while it returns true the chain counts as unreachable. */
  isCut?: (() => boolean) | undefined;
}): ChainClient {
  const { isCut } = options;
  const { asked, told } = splitAddress(options.rpcUrl);
  const chain = defineChain({
    id: options.chainId,
    name: `eip155:${options.chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [told] } },
  });
  return createPublicClient({
    chain,
    transport: withoutSharing(
      http(told, {
        onFetchRequest: (_, init) => ({ ...init, url: asked }),
        retryCount: 0,
        timeout: options.timeoutMs ?? 10_000,
        batch: { wait: 0 },
        ...(isCut && {
          fetchFn: async (input: RequestInfo | URL, init?: RequestInit) => {
            if (isCut())
              throw new Error("The chain cannot be reached: the failure lab has it cut off.");
            return fetch(input, init);
          },
        }),
      }),
    ),
  }).extend((client) => ({
    // viem's own shares and keeps the answer.
    getBlockNumber: async () => hexToBigInt(await client.request({ method: "eth_blockNumber" })),
  }));
}

/**
 * viem answers a question that is under way with that one's answer, from an earlier moment and perhaps another node. Callers
 * that ask two questions in one request rely on one answer for both.
 */
const withoutSharing =
  (open: HttpTransport): HttpTransport =>
  (parameters) => {
    const transport = open(parameters);
    const { request } = transport;
    return { ...transport, request: (question) => request(question) };
  };

/**
 * Node providers put a key into the path or the query, and errors, which are logged, name the address they asked. They are
 * told its origin; user and password stay in it, because they become a header there.
 */
function splitAddress(rpcUrl: string): { asked: string; told: string } {
  const [asked, told] = [new URL(rpcUrl), new URL(rpcUrl)];
  asked.username = "";
  asked.password = "";
  told.pathname = "";
  told.search = "";
  return { asked: asked.href, told: told.href };
}
