import type { Abi, Hex } from "viem";
import captures from "./artifacts/Captures.json" with { type: "json" };
import credits from "./artifacts/Credits.json" with { type: "json" };
import canonical from "./artifacts/canonical-deployments.json" with { type: "json" };
import delegationManager from "./artifacts/DelegationManager.json" with { type: "json" };
import sessionKeyAccount from "./artifacts/EIP7702StatelessDeleGator.json" with { type: "json" };
import entryPoint from "./artifacts/EntryPoint.json" with { type: "json" };
import proxy from "./artifacts/ERC1967Proxy.json" with { type: "json" };
import smartAccount from "./artifacts/HybridDeleGator.json" with { type: "json" };
import mockUsdc from "./artifacts/MockUSDC.json" with { type: "json" };
import periodLimits from "./artifacts/PeriodLimitsEnforcer.json" with { type: "json" };
import plans from "./artifacts/Plans.json" with { type: "json" };
import p256Library from "./artifacts/SCL_RIP7212.json" with { type: "json" };
import sessionLimitsEnforcer from "./artifacts/SessionLimitsEnforcer.json" with { type: "json" };
import factory from "./artifacts/SimpleFactory.json" with { type: "json" };

/** Creation code of every contract the service deploys or computes addresses from. */
export const bytecodes = {
  captures: captures.bytecode as Hex,
  delegationManager: delegationManager.bytecode as Hex,
  entryPoint: entryPoint.bytecode as Hex,
  proxy: proxy.bytecode as Hex,
  sessionKeyAccount: sessionKeyAccount.bytecode as Hex,
  /** Not linked yet: see `linkLibrary`. */
  smartAccount: smartAccount.bytecode,
  mockUsdc: mockUsdc.bytecode as Hex,
  periodLimits: periodLimits.bytecode as Hex,
  plans: plans.bytecode as Hex,
  p256Library: p256Library.bytecode as Hex,
  sessionLimitsEnforcer: sessionLimitsEnforcer.bytecode as Hex,
  factory: factory.bytecode as Hex,
};

/** Where the delegation framework is deployed on public chains: chain id → contract name → address. */
export const canonicalDeployments: Record<string, Record<string, string>> = canonical.chains;

/** Every error that a contract may raise, for decoding a revert. */
export const allErrorsAbi: Abi = [
  credits,
  plans,
  periodLimits,
  sessionLimitsEnforcer,
  delegationManager,
  smartAccount,
  sessionKeyAccount,
  entryPoint,
  mockUsdc,
].flatMap(({ abi }) => (abi as Abi).filter(({ type }) => type === "error"));
