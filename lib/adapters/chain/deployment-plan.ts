import {
  type Address,
  concat,
  getContractAddress,
  type Hex,
  keccak256,
  stringToHex,
  toHex,
} from "viem";
import { USDC } from "@/lib/sdk/protocol/exact/usdc.ts";
import { bytecodes, canonicalDeployments } from "./artifacts.ts";
import type { Deployment } from "./deployment.ts";

/** The deterministic deployer, at the same address on every chain: addresses depend on code and salt only. */
export const DETERMINISTIC_DEPLOYER: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** Circle's USDC on a chain; undefined on chains whose address is not known. */
export const knownUsdc = (chainId: number): Address | undefined =>
  USDC[`eip155:${chainId}`] as Address | undefined;

/** Where USDC is on Base Sepolia, so that stock x402 clients know it. The embedded chain places the test dollar there. */
export const TEST_DOLLAR = knownUsdc(84532) as Address;

/** With this salt EntryPoint 0.7 gets its address on every chain. */
const ENTRY_POINT_SALT: Hex = "0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3";

/** How far an order's time may be ahead of the chain's clock, in seconds; the sandbox's clock can be moved ahead by years. */
const PERIOD_LEAD_SECS = { live: 900n, sandbox: 3_155_760_000n };

/** One contract to create through the deterministic deployer. */
export type DeploymentStep = { name: string; address: Address; salt: Hex; initCode: Hex };

/**
 * Who may do what with the contracts. `admin` grants roles, sets the daily cap and resumes orders: a multisig or a
 * timelock. `pauser` pauses orders. `operator` is the service's key: it registers plans and mints within the cap.
 */
export type ChainRoles = { admin: Address; pauser: Address; operator: Address };

export type DeploymentPlan = { deployment: Deployment; steps: DeploymentStep[] };

/**
 * Computes each contract's address and creation without the chain. The roles and the environment are part of the
 * addresses: a grant signed for one deployment means nothing on another.
 *
 * @param framework `canonical` uses the delegation framework already deployed on a public chain.
 * @param hasTestDollar whether the chain comes with the test dollar, as the embedded chain does; a sandbox deploys one otherwise.
 * @throws Error for `canonical` on a chain without it.
 */
export function planDeployment(options: {
  chainId: number;
  roles: ChainRoles;
  sandbox: boolean;
  framework: "own" | "canonical";
  hasTestDollar?: boolean;
}): DeploymentPlan {
  const { chainId, sandbox, hasTestDollar = false } = options;
  const { admin, pauser, operator } = options.roles;
  const salt = keccak256(stringToHex(`turnpike:${sandbox ? "sandbox" : "live"}:1`));
  const steps: DeploymentStep[] = [];
  const add = (name: string, initCode: Hex, stepSalt = salt): Address => {
    const address = getContractAddress({
      opcode: "CREATE2",
      from: DETERMINISTIC_DEPLOYER,
      salt: stepSalt,
      bytecode: initCode,
    });
    steps.push({ name, address, salt: stepSalt, initCode });
    return address;
  };

  const entryPoint = add("EntryPoint", bytecodes.entryPoint, ENTRY_POINT_SALT);
  const framework =
    options.framework === "canonical"
      ? canonicalFramework(chainId)
      : ownFramework(add, { admin, entryPoint });
  const plans = add("Plans", withArguments(bytecodes.plans, [admin, pauser, operator]));
  const deployment: Deployment = {
    chainId,
    entryPoint,
    ...framework,
    plans,
    // Plans creates it in its constructor, as its first contract.
    credits: getContractAddress({ from: plans, nonce: 1n }),
    sessionLimitsEnforcer: add("SessionLimitsEnforcer", bytecodes.sessionLimitsEnforcer),
    captures: add("Captures", bytecodes.captures),
    periodLimits: add(
      "PeriodLimitsEnforcer",
      concat([
        bytecodes.periodLimits,
        toHex(PERIOD_LEAD_SECS[sandbox ? "sandbox" : "live"], { size: 32 }),
      ]),
    ),
    admin,
    pauser,
  };
  const usdc = hasTestDollar ? TEST_DOLLAR : knownUsdc(chainId);
  if (sandbox && !hasTestDollar) deployment.usdc = add("MockUSDC", bytecodes.mockUsdc);
  else if (usdc) deployment.usdc = usdc;
  return { deployment, steps };
}

function ownFramework(
  add: (name: string, initCode: Hex) => Address,
  { admin, entryPoint }: { admin: Address; entryPoint: Address },
) {
  const delegationManager = add(
    "DelegationManager",
    withArguments(bytecodes.delegationManager, [admin]),
  );
  const smartAccountFactory = add("SimpleFactory", bytecodes.factory);
  const library = add("SCL_RIP7212", bytecodes.p256Library);
  const account = linkLibrary(bytecodes.smartAccount, library);
  return {
    delegationManager,
    smartAccountFactory,
    smartAccountImplementation: add(
      "HybridDeleGator",
      withArguments(account, [delegationManager, entryPoint]),
    ),
    sessionKeyImplementation: add(
      "EIP7702StatelessDeleGator",
      withArguments(bytecodes.sessionKeyAccount, [delegationManager, entryPoint]),
    ),
  };
}

/** Where the delegation framework is on a public chain. Throws an Error on a chain without it. */
export function canonicalFramework(chainId: number) {
  const addresses = canonicalDeployments[String(chainId)];
  const find = (name: string): Address => {
    const address = addresses?.[name];
    if (!address)
      throw new Error(`Chain ${chainId} has no canonical "${name}" of the delegation framework.`);
    return address as Address;
  };
  return {
    delegationManager: find("DelegationManager"),
    smartAccountFactory: find("SimpleFactory"),
    smartAccountImplementation: find("HybridDeleGatorImpl"),
    sessionKeyImplementation: find("EIP7702StatelessDeleGatorImpl"),
  };
}

/** Whether the delegation framework is known to be deployed on the chain. */
export function hasCanonicalFramework(chainId: number): boolean {
  return canonicalDeployments[String(chainId)] !== undefined;
}

function withArguments(bytecode: Hex, addresses: Address[]): Hex {
  const words = addresses.map((address) => concat(["0x000000000000000000000000", address]));
  return concat([bytecode, ...words]);
}

function linkLibrary(bytecode: string, library: Address): Hex {
  return bytecode.replaceAll(/__\$[0-9a-f]{34}\$__/g, library.slice(2).toLowerCase()) as Hex;
}
