import { parseAbi } from "viem";

/** The parts of each contract's interface that the service uses, typed. `abis.test.ts` holds them against the artefacts. */

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
  "error CreditsNotTransferable()",
  "error OnlyPlansMayMint(address caller)",
  "error BurnNotPermitted(address caller, address account, uint256 planId)",
  "error CountIsZero()",
  "error AmountOutOfRange(uint256 amount, uint256 minimum, uint256 maximum)",
  "error ProofMissing(uint256 planId)",
  "error CreditsEnded(address account, uint256 planId, uint64 endedAt)",
  "error InsufficientCredits(address account, uint256 planId, uint256 balance, uint256 amount)",
]);

export const plansAbi = parseAbi([
  "struct PlanTerms { address token; uint256[] amounts; address[] receivers; uint256 credits; uint128 minAmount; uint128 maxAmount; uint64 durationSecs; uint8 redemptionType; bool proofRequired; bool isCrypto; bool timeBased; bool oncePerAccount; }",
  "struct RedemptionRule { address owner; uint8 redemptionType; bool proofRequired; bool timeBased; uint64 durationSecs; uint128 minAmount; uint128 maxAmount; }",
  "struct Price { address token; bool isCrypto; bool oncePerAccount; uint256 total; uint256 credits; uint256[] amounts; address[] receivers; }",
  "function registerPlan(uint256 nonce, PlanTerms terms) returns (uint256 planId)",
  "function registerPlanFor(uint256 planId, address owner, PlanTerms terms)",
  "function planIdOf(address owner, uint256 nonce) view returns (uint256)",
  "function order(uint256 planId) payable",
  "function mintFor(uint256 planId, address account, uint256 amount, bytes32 ref)",
  "function takeBack(uint256 planId, address account, uint256 amount, bytes32 ref)",
  "function setPlanRole(uint256 planId, address account, bool granted)",
  "function grantRole(bytes32 role, address account)",
  "function pause()",
  "function unpause()",
  "function paused() view returns (bool)",
  "function isUsed(bytes32 ref) view returns (bool)",
  "function hasOrdered(uint256 planId, address account) view returns (bool)",
  "function priceOf(uint256 planId) view returns (address token, uint256 total)",
  "function planOf(uint256 planId) view returns (RedemptionRule rule, Price price)",
  "event PlanOrdered(uint256 indexed planId, address indexed account, address token, uint256 total, uint256 credits)",
  "event PlanMinted(uint256 indexed planId, address indexed account, bytes32 indexed ref, uint256 credits)",
  "error PlanUnknown(uint256 planId)",
  "error PlanExists(uint256 planId)",
  "error PlanOwnerMissing()",
  "error ReceiversDoNotMatchAmounts(uint256 receivers, uint256 amounts)",
  "error TooManyReceivers(uint256 receivers)",
  "error ReceiverIsZero(uint256 index)",
  "error RedemptionTypeUnknown(uint8 redemptionType)",
  "error RedemptionRangeEmpty(uint128 minAmount, uint128 maxAmount)",
  "error CreditsAreZero()",
  "error DurationTooLong(uint64 durationSecs)",
  "error PlanNotSoldOnChain(uint256 planId)",
  "error WrongNativeAmount(uint256 expected, uint256 sent)",
  "error NativePaymentFailed(address receiver)",
  "error AlreadyOrdered(uint256 planId, address account)",
  "error ReferenceUsed(bytes32 ref)",
  "error OnlyPlanOwner(uint256 planId, address caller)",
  "error EnforcedPause()",
  "error ReentrancyGuardReentrantCall()",
  "error SafeERC20FailedOperation(address token)",
  "error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)",
]);

export const enforcerAbi = parseAbi([
  "function revoke(bytes32 delegationHash)",
  "function usage(address manager, bytes32 delegationHash) view returns (uint128 redemptions, uint256 spent)",
  "function isRevoked(address account, bytes32 delegationHash) view returns (bool)",
  "error GrantIsRevoked(bytes32 delegationHash)",
  "error GrantEnded(uint64 validUntil)",
  "error ModeNotPermitted(bytes32 mode)",
  "error TargetNotPermitted(address target)",
  "error SelectorNotPermitted(bytes4 selector)",
  "error PermissionMissing(uint8 permission)",
  "error PlanNotPermitted(uint256 planId)",
  "error HolderNotPermitted(address holder)",
  "error CallMalformed(bytes4 selector)",
  "error ValueNotPermitted(uint256 expected, uint256 value)",
  "error ApprovalNotPermitted(address token, address spender, uint256 amount)",
  "error OrderTokenNotPermitted(address token)",
  "error RedemptionLimitExceeded(uint256 limit, uint256 requested)",
  "error OrderLimitExceeded(uint256 limit, uint256 requested)",
]);

export const delegationManagerAbi = parseAbi([
  "struct Caveat { address enforcer; bytes terms; bytes args; }",
  "struct Delegation { address delegate; address delegator; bytes32 authority; Caveat[] caveats; uint256 salt; bytes signature; }",
  "function redeemDelegations(bytes[] _permissionContexts, bytes32[] _modes, bytes[] _executionCallDatas)",
  "function disableDelegation(Delegation _delegation)",
  "function enableDelegation(Delegation _delegation)",
  "function disabledDelegations(bytes32 delegationHash) view returns (bool)",
  "function getDelegationHash(Delegation _input) pure returns (bytes32)",
  "error CannotUseADisabledDelegation()",
  "error InvalidDelegate()",
  "error InvalidDelegator()",
  "error InvalidAuthority()",
  "error InvalidERC1271Signature()",
  "error InvalidEOASignature()",
  "error EmptySignature()",
  "error BatchDataLengthMismatch()",
  "error AlreadyDisabled()",
]);

export const smartAccountAbi = parseAbi([
  "struct Execution { address target; uint256 value; bytes callData; }",
  "function initialize(address _owner, string[] _keyIds, uint256[] _xValues, uint256[] _yValues)",
  "function execute(bytes32 _mode, bytes _executionCalldata) payable",
  "function owner() view returns (address)",
  "error NotDelegationManager()",
  "error NotEntryPoint()",
  "error NotEntryPointOrSelf()",
  "error ExecutionFailed()",
]);

export const factoryAbi = parseAbi([
  "function deploy(bytes _bytecode, bytes32 _salt) returns (address)",
  "function computeAddress(bytes32 _bytecodeHash, bytes32 _salt) view returns (address)",
]);

export const entryPointAbi = parseAbi([
  "struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }",
  "function handleOps(PackedUserOperation[] ops, address beneficiary)",
  "function getNonce(address sender, uint192 key) view returns (uint256)",
  "function getUserOpHash(PackedUserOperation userOp) view returns (bytes32)",
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
  "function faucet(address to, uint256 amount)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "error FaucetLimit(uint256 maximum, uint256 requested)",
]);

/** Every error any of the contracts may raise, for decoding a revert. */
export const allErrorsAbi = [
  ...creditsAbi,
  ...plansAbi,
  ...enforcerAbi,
  ...delegationManagerAbi,
  ...smartAccountAbi,
  ...entryPointAbi,
  ...tokenAbi,
].filter((item) => item.type === "error");
