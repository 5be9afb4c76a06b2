import { parseAbi } from "viem";

/** The functions and events of each contract that the service uses, typed. `artifacts.test.ts` compares them. */

export const creditsAbi = parseAbi([
  "function balanceOf(address account, uint256 id) view returns (uint256)",
  "function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])",
  "function expiresAt(address account, uint256 planId) view returns (uint64)",
  "function burn(address account, uint256 planId, uint256 amount, uint256 count, bytes32 root)",
  "function expire(address account, uint256 planId)",
  "event CreditsMinted(address indexed account, uint256 indexed planId, uint256 amount, uint64 expiresAt)",
  "event CreditsBurned(address indexed account, uint256 indexed planId, bytes32 indexed root, uint256 amount, uint256 count, address redeemer)",
  "event CreditsRevoked(address indexed account, uint256 indexed planId, uint256 amount)",
  "event CreditsExpired(address indexed account, uint256 indexed planId, uint256 amount)",
]);

export const plansAbi = parseAbi([
  "struct PlanTerms { address token; uint256[] amounts; address[] receivers; uint256 credits; uint128 minAmount; uint128 maxAmount; uint64 durationSecs; uint8 redemptionType; bool proofRequired; bool isCrypto; bool timeBased; bool oncePerAccount; }",
  "struct RedemptionRule { address owner; uint8 redemptionType; bool proofRequired; bool timeBased; uint64 durationSecs; uint128 minAmount; uint128 maxAmount; }",
  "struct Price { address token; bool isCrypto; bool oncePerAccount; uint256 total; uint256 credits; uint256[] amounts; address[] receivers; }",
  "function registerPlan(uint256 nonce, PlanTerms terms) returns (uint256 planId)",
  "function registerPlanFor(uint256 planId, address owner, PlanTerms terms)",
  "function registerVersion(uint256 planId, uint256 version, PlanTerms terms)",
  "function registerVersionFor(uint256 versionId, uint256 planId, PlanTerms terms)",
  "function planIdOf(address owner, uint256 nonce) view returns (uint256)",
  "function order(uint256 versionId) payable",
  "function mintFor(uint256 planId, address account, uint256 amount, bytes32 ref)",
  "function takeBack(uint256 planId, address account, uint256 amount, bytes32 ref)",
  "function setPlanRole(uint256 planId, address account, bool granted)",
  "function grantRole(bytes32 role, address account)",
  "function hasRole(bytes32 role, address account) view returns (bool)",
  "function dailyCap() view returns (uint64 orders, uint64 calls)",
  "function setDailyCap(uint64 orders, uint64 calls)",
  "function pause()",
  "function unpause()",
  "function paused() view returns (bool)",
  "function credits() view returns (address)",
  "function isUsed(bytes32 ref) view returns (bool)",
  "function hasOrdered(uint256 planId, address account) view returns (bool)",
  "function priceOf(uint256 planId) view returns (address token, uint256 total)",
  "function planOfVersion(uint256 versionId) view returns (uint256 planId)",
  "function redemptionRuleOf(uint256 planId, address account) view returns (RedemptionRule rule)",
  "function planOf(uint256 planId) view returns (RedemptionRule rule, Price price)",
  "event PlanRegistered(uint256 indexed planId, address indexed owner, PlanTerms terms)",
  "event PlanVersionRegistered(uint256 indexed planId, uint256 indexed versionId, address indexed by)",
  "event PlanOrdered(uint256 indexed planId, address indexed account, address token, uint256 total, uint256 credits)",
  "event PlanMinted(uint256 indexed planId, address indexed account, bytes32 indexed ref, uint256 credits)",
  "event CreditsTakenBack(uint256 indexed planId, address indexed account, bytes32 indexed ref, uint256 amount)",
  "event PlanRoleChanged(uint256 indexed planId, address indexed account, bool granted)",
  "event DailyCapChanged(uint64 orders, uint64 calls)",
  "event Paused(address account)",
  "event Unpaused(address account)",
  "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleRevoked(bytes32 indexed role, address indexed account, address indexed sender)",
  "event RoleAdminChanged(bytes32 indexed role, bytes32 indexed previousAdminRole, bytes32 indexed newAdminRole)",
]);

export const enforcerAbi = parseAbi([
  "function revoke(bytes32 delegationHash)",
  "function usage(address manager, bytes32 delegationHash) view returns (uint128 redemptions, uint256 spent)",
  "function isRevoked(address account, bytes32 delegationHash) view returns (bool)",
]);

export const periodLimitsAbi = parseAbi([
  "function indexOf(uint8 period, uint256 at) view returns (uint256)",
  "function beforeHook(bytes terms, bytes args, bytes32 mode, bytes executionCallData, bytes32, address account, address)",
]);

export const delegationManagerAbi = parseAbi([
  "struct Caveat { address enforcer; bytes terms; bytes args; }",
  "struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }",
  "function redeemDelegations(bytes[] _permissionContexts, bytes32[] _modes, bytes[] _executionCallDatas)",
  "function disableDelegation(Delegation _delegation)",
  "function enableDelegation(Delegation _delegation)",
]);

export const smartAccountAbi = parseAbi([
  "struct Execution { address target; uint256 value; bytes callData; }",
  "function initialize(address _owner, string[] _keyIds, uint256[] _xValues, uint256[] _yValues)",
  "function execute(bytes32 _mode, bytes _executionCalldata) payable",
  "function owner() view returns (address)",
]);

export const factoryAbi = parseAbi([
  "function deploy(bytes _bytecode, bytes32 _salt) returns (address)",
]);

export const entryPointAbi = parseAbi([
  "struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  "function handleOps(PackedUserOperation[] ops, address beneficiary)",
  "function getNonce(address sender, uint192 key) view returns (uint256)",
  "function depositTo(address account) payable",
  "function withdrawTo(address withdrawAddress, uint256 withdrawAmount)",
  "event BeforeExecution()",
  "event Withdrawn(address indexed account, address withdrawAddress, uint256 amount)",
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
  "event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)",
  "error FailedOp(uint256 opIndex, string reason)",
  "error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)",
  "error SignatureValidationFailed(address aggregator)",
]);

export const tokenAbi = parseAbi([
  "function balanceOf(address account) view returns (uint256)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function transfer(address to, uint256 amount) returns (bool)",
  "function decimals() view returns (uint8)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "function faucet(address to, uint256 amount)",
]);

/** EIP-3009, as USDC has it. */
export const authorizationAbi = parseAbi([
  "function name() view returns (string)",
  "function version() view returns (string)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
]);

export const capturesAbi = parseAbi([
  "struct Call { address target; uint256 gas; bytes data; }",
  "function run(Call[] calls)",
]);
