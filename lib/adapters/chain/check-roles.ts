import { type Address, type Hex, keccak256, stringToHex, zeroHash } from "viem";
import { plansAbi } from "./abis.ts";
import type { ChainClient } from "./chain-client.ts";
import type { Deployment, OnChain } from "./deployment.ts";

/** The roles of `Plans`, by the hash that its events carry. */
export const PLAN_ROLES: Record<Hex, string> = Object.fromEntries([
  [zeroHash, "DEFAULT_ADMIN_ROLE"],
  ...["PAUSER_ROLE", "REGISTRAR_ROLE", "MINTER_ROLE", "GLOBAL_REDEEMER_ROLE", "OPERATOR_ROLE"].map(
    (name) => [keccak256(stringToHex(name)), name],
  ),
]);

export type RoleCheck = {
  text: string;
  isFine: boolean;
  /** Whether a person may leave it as it is. */
  isAdvice?: boolean;
};

type RoleName =
  | "DEFAULT_ADMIN_ROLE"
  | "PAUSER_ROLE"
  | "REGISTRAR_ROLE"
  | "MINTER_ROLE"
  | "GLOBAL_REDEEMER_ROLE"
  | "OPERATOR_ROLE";

/** Whether an account holds a role of `Plans`. */
export function holdsRole({
  client,
  deployment: { plans: address },
  name,
  account,
}: {
  client: ChainClient;
  deployment: Pick<Deployment, "plans">;
  name: RoleName;
  account: Address;
}): Promise<boolean> {
  const role = Object.entries(PLAN_ROLES).find(([, known]) => known === name)?.[0] as Hex;
  const args = [role, account] as const;
  return client.readContract({ address, abi: plansAbi, functionName: "hasRole", args });
}

/** What the settler's key must hold to register plans and to mint. */
const SETTLER_ROLES = ["REGISTRAR_ROLE", "MINTER_ROLE"] as const;

/** The first role that a settler lacks, or null. */
export async function findMissingRole(
  client: ChainClient,
  plans: Address,
  settler: Address,
): Promise<RoleName | null> {
  for (const name of SETTLER_ROLES) {
    if (!(await holdsRole({ client, deployment: { plans }, name, account: settler }))) return name;
  }
  return null;
}

/** Whether an account is the operator of the first release's contracts, which have this role for both. */
export const isOperator = (client: ChainClient, plans: Address, account: Address) =>
  holdsRole({ client, deployment: { plans }, name: "OPERATOR_ROLE", account });

/**
 * What a person should check about a deployment's roles, read from the chain: the operator must not administer or
 * pause, the administrator should be a contract, and the daily cap says what a stolen operator key could do.
 */
export async function checkRoles({
  client,
  deployment,
  operator,
}: OnChain & {
  operator: Address;
}): Promise<RoleCheck[]> {
  const { plans: address, admin = operator, pauser = admin } = deployment;
  const holds = (name: RoleName, account: Address) =>
    holdsRole({ client, deployment, name, account });
  const [orders, calls] = await client.readContract({
    address,
    abi: plansAbi,
    functionName: "dailyCap",
  });
  const adminCode = await client.getCode({ address: admin });
  return [
    {
      text: `The administrator ${admin} holds DEFAULT_ADMIN_ROLE.`,
      isFine: await holds("DEFAULT_ADMIN_ROLE", admin),
    },
    {
      text: adminCode
        ? "The administrator is a contract. Check its signers, threshold and delay."
        : "The administrator is a single key. Use a multisig or a timelock in live.",
      isFine: adminCode !== undefined,
      isAdvice: true,
    },
    {
      text: `The pauser ${pauser} holds PAUSER_ROLE.`,
      isFine: await holds("PAUSER_ROLE", pauser),
    },
    {
      text: `The settler ${operator} does not administer and does not pause.`,
      isFine:
        !(await holds("DEFAULT_ADMIN_ROLE", operator)) && !(await holds("PAUSER_ROLE", operator)),
    },
    {
      text: `The settler may mint and take back at most ${orders} orders' worth of credits a plan and day, in ${calls} calls. The administrator changes it with setDailyCap.`,
      isFine: true,
    },
  ];
}
