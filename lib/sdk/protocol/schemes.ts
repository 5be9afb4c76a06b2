import type { Environment } from "./enums.ts";

/** The credits' home chain per environment: Base Sepolia in the sandbox, Base in live. */
export const CHAIN_NETWORKS: Record<Environment, string> = {
  sandbox: "eip155:84532",
  live: "eip155:8453",
};

/** The two payment schemes (§1), and the network each settles on per environment. */
export const SCHEMES = {
  "svc:erc4337": { networks: CHAIN_NETWORKS, provider: "erc4337" },
  "svc:card-delegation": {
    networks: { sandbox: "card-processor", live: "card-processor" },
    provider: "card-processor",
  },
} as const;

/** How plans are paid in x402: a key of `SCHEMES`. */
export type SchemeId = keyof typeof SCHEMES;

/** Whether the text names a scheme in its own spelling, without aliases. */
export function isScheme(value: string): value is SchemeId {
  return Object.hasOwn(SCHEMES, value);
}

/**
 * The scheme behind a name that may carry another brand's prefix (`nvm:erc4337` is `svc:erc4337`);
 * `null` when the name is unknown.
 */
export function readScheme(value: string, aliases: readonly string[] = ["nvm"]): SchemeId | null {
  if (isScheme(value)) return value;
  const [prefix, ...rest] = value.split(":");
  const scheme = `svc:${rest.join(":")}`;
  return aliases.includes(prefix as string) && isScheme(scheme) ? scheme : null;
}

const CARD_NETWORK_ALIASES = ["stripe", "card:processor"];

/** The network's own name, for the aliases that clients of other systems send (`stripe` is `card-processor`). */
export function readNetwork(value: string): string {
  return CARD_NETWORK_ALIASES.includes(value) ? "card-processor" : value;
}

/** The network a scheme settles on (§1), in the sandbox unless the environment is given. */
export const networkOf = (scheme: SchemeId, environment: Environment = "sandbox"): string =>
  SCHEMES[scheme].networks[environment];

/** The scheme a plan settles by: fiat prices by card, every other price by user operation (§1). */
export const schemeOfPrice = (price: { isCrypto: boolean }): SchemeId =>
  price.isCrypto === false ? "svc:card-delegation" : "svc:erc4337";
