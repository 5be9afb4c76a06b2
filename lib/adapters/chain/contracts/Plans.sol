// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Credits} from "./Credits.sol";
import {OperatorControls} from "./OperatorControls.sol";
import {IPlans, PlanTerms, RedemptionRule, ONLY_SUBSCRIBER} from "./PlanTerms.sol";

/// Registers plans and sells them: an order pays the plan's receivers and mints its credits in one call.
/// The contract never holds money.
contract Plans is IPlans, OperatorControls, ReentrancyGuardTransient {
    using SafeERC20 for IERC20;

    /// Registers builders' plans, and new versions that are no better an offer than the plan.
    bytes32 public constant REGISTRAR_ROLE = keccak256("REGISTRAR_ROLE");
    /// May burn credits of plans whose redemption type is ONLY_GLOBAL_ROLE.
    bytes32 public constant GLOBAL_REDEEMER_ROLE = keccak256("GLOBAL_REDEEMER_ROLE");
    uint256 public constant MAX_RECEIVERS = 16;
    uint64 public constant MAX_DURATION_SECS = 100 * 365 days;

    struct Price {
        address token;
        bool isCrypto;
        bool oncePerAccount;
        uint256 total;
        uint256 credits;
        uint256[] amounts;
        address[] receivers;
    }

    Credits public immutable credits;

    mapping(uint256 planId => RedemptionRule) private _rules;
    mapping(uint256 planId => Price) private _prices;
    /// The plan whose credits a later version sells; a first version has the plan's own id and no entry here.
    mapping(uint256 versionId => uint256 planId) private _planOfVersion;
    /// The later version an account ordered last: its rule applies to the account's credits.
    mapping(uint256 planId => mapping(address account => uint256 versionId)) private _orderedVersion;
    mapping(uint256 planId => mapping(address account => bool)) private _planRoles;
    mapping(uint256 planId => mapping(address account => bool)) public hasOrdered;
    /// References of mints and revocations already made by the operator, so that a retry changes nothing.
    mapping(bytes32 ref => bool) public isUsed;

    event PlanRegistered(uint256 indexed planId, address indexed owner, PlanTerms terms);
    event PlanVersionRegistered(uint256 indexed planId, uint256 indexed versionId, address indexed by);
    event PlanOrdered(uint256 indexed planId, address indexed account, address token, uint256 total, uint256 credits);
    event PlanMinted(uint256 indexed planId, address indexed account, bytes32 indexed ref, uint256 credits);
    event CreditsTakenBack(uint256 indexed planId, address indexed account, bytes32 indexed ref, uint256 amount);
    event PlanRoleChanged(uint256 indexed planId, address indexed account, bool granted);

    error PlanUnknown(uint256 planId);
    error PlanExists(uint256 planId);
    error PlanOwnerMissing();
    error ReceiversDoNotMatchAmounts(uint256 receivers, uint256 amounts);
    error TooManyReceivers(uint256 receivers);
    error ReceiverIsZero(uint256 index);
    error RedemptionTypeUnknown(uint8 redemptionType);
    error RedemptionRangeEmpty(uint128 minAmount, uint128 maxAmount);
    error CreditsAreZero();
    error DurationTooLong(uint64 durationSecs);
    error PlanNotSoldOnChain(uint256 planId);
    error WrongNativeAmount(uint256 expected, uint256 sent);
    error NativePaymentFailed(address receiver);
    error AlreadyOrdered(uint256 planId, address account);
    error ReferenceUsed(bytes32 ref);
    error OnlyPlanOwner(uint256 planId, address caller);
    error OwnerMustRegister(uint256 planId);

    /// `operator` is the key that the service holds. It can give itself no role and raise no cap.
    constructor(address admin, address pauser, address operator) {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(PAUSER_ROLE, pauser);
        _grantRole(REGISTRAR_ROLE, operator);
        _grantRole(MINTER_ROLE, operator);
        credits = new Credits(this);
    }

    /// Registers a plan of the caller. Its id is derived from caller and nonce, so no one can take another's id.
    function registerPlan(uint256 nonce, PlanTerms calldata terms) external returns (uint256 planId) {
        planId = planIdOf(msg.sender, nonce);
        _register(planId, msg.sender, terms);
    }

    /// Registers a builder's plan under the id the service gave it.
    function registerPlanFor(uint256 planId, address owner, PlanTerms calldata terms)
        external
        onlyRole(REGISTRAR_ROLE)
    {
        _register(planId, owner, terms);
    }

    /// Registers new terms of the caller's plan, sold under an id derived from plan and version.
    function registerVersion(uint256 planId, uint256 version, PlanTerms calldata terms) external {
        if (msg.sender != _rules[planId].owner) revert OnlyPlanOwner(planId, msg.sender);
        _registerVersion(uint256(keccak256(abi.encode(planId, version))), planId, terms);
    }

    /// Registers new terms of a plan, sold under a new id. Earlier subscribers keep the terms they ordered. Other
    /// receivers, another token and cheaper credits take the plan's owner: a registrar alone must not be able to
    /// redirect money or sell credits under their price.
    function registerVersionFor(uint256 versionId, uint256 planId, PlanTerms calldata terms)
        external
        onlyRole(REGISTRAR_ROLE)
    {
        _requirePlan(planId);
        if (_needsOwner(_prices[planId], terms)) revert OwnerMustRegister(planId);
        _registerVersion(versionId, planId, terms);
    }

    /// Pays the receivers of a plan, or of a version of it, from the caller and mints the plan's credits to the caller.
    function order(uint256 versionId) external payable nonReentrant whenNotPaused {
        Price storage price = _prices[versionId];
        _requirePlan(versionId);
        if (!price.isCrypto) revert PlanNotSoldOnChain(versionId);
        uint256 expected = price.token == address(0) ? price.total : 0;
        if (msg.value != expected) revert WrongNativeAmount(expected, msg.value);
        uint256 planId = planOfVersion(versionId);
        _markOrdered(price, planId, msg.sender);
        uint256 later = versionId == planId ? 0 : versionId;
        if (_orderedVersion[planId][msg.sender] != later) _orderedVersion[planId][msg.sender] = later;
        _pay(price);
        credits.mint(msg.sender, planId, price.credits, _rules[versionId].durationSecs);
        emit PlanOrdered(versionId, msg.sender, price.token, price.total, price.credits);
    }

    /// Mints `amount` credits of an order paid off chain, for example by card. `ref` identifies the order.
    function mintFor(uint256 planId, address account, uint256 amount, bytes32 ref)
        external
        nonReentrant
        onlyRole(MINTER_ROLE)
    {
        _requirePlan(planId);
        _use(ref);
        _useCap(planId, _prices[planId].credits, amount);
        if (amount == 0) revert CreditsAreZero();
        hasOrdered[planId][account] = true;
        credits.mint(account, planId, amount, _rules[planId].durationSecs);
        emit PlanMinted(planId, account, ref, amount);
    }

    /// Takes credits back after a refund or a chargeback. `ref` identifies the refund.
    function takeBack(uint256 planId, address account, uint256 amount, bytes32 ref) external onlyRole(MINTER_ROLE) {
        _requirePlan(planId);
        _use(ref);
        _useCap(planId, _prices[planId].credits, amount);
        credits.revoke(account, planId, amount);
        emit CreditsTakenBack(planId, account, ref, amount);
    }

    /// Allows an account to redeem a plan of redemption type ONLY_PLAN_ROLE, or withdraws that.
    function setPlanRole(uint256 planId, address account, bool granted) external {
        if (msg.sender != _rules[planId].owner) revert OnlyPlanOwner(planId, msg.sender);
        _planRoles[planId][account] = granted;
        emit PlanRoleChanged(planId, account, granted);
    }

    function redemptionRule(uint256 planId) external view returns (RedemptionRule memory rule) {
        _requirePlan(planId);
        return _rules[planId];
    }

    function redemptionRuleOf(uint256 planId, address account) external view returns (RedemptionRule memory rule) {
        _requirePlan(planId);
        uint256 versionId = _orderedVersion[planId][account];
        return _rules[versionId == 0 ? planId : versionId];
    }

    /// The plan whose credits an order of `versionId` mints.
    function planOfVersion(uint256 versionId) public view returns (uint256 planId) {
        planId = _planOfVersion[versionId];
        if (planId == 0) planId = versionId;
    }

    function priceOf(uint256 planId) external view returns (address token, uint256 total) {
        _requirePlan(planId);
        Price storage price = _prices[planId];
        if (!price.isCrypto) revert PlanNotSoldOnChain(planId);
        return (price.token, price.total);
    }

    function planOf(uint256 planId) external view returns (RedemptionRule memory rule, Price memory price) {
        _requirePlan(planId);
        return (_rules[planId], _prices[planId]);
    }

    function hasGlobalRole(address account) external view returns (bool) {
        return hasRole(GLOBAL_REDEEMER_ROLE, account);
    }

    function hasPlanRole(uint256 planId, address account) external view returns (bool) {
        return _planRoles[planId][account];
    }

    function planIdOf(address owner, uint256 nonce) public view returns (uint256) {
        return uint256(keccak256(abi.encode(address(this), owner, nonce)));
    }

    function _register(uint256 planId, address owner, PlanTerms calldata terms) private {
        if (_rules[planId].owner != address(0)) revert PlanExists(planId);
        _checkTerms(owner, terms);
        _rules[planId] = RedemptionRule({
            owner: owner,
            redemptionType: terms.redemptionType,
            proofRequired: terms.proofRequired,
            timeBased: terms.timeBased,
            durationSecs: terms.durationSecs,
            minAmount: terms.minAmount,
            maxAmount: terms.maxAmount
        });
        Price storage price = _prices[planId];
        price.token = terms.token;
        price.isCrypto = terms.isCrypto;
        price.oncePerAccount = terms.oncePerAccount;
        price.credits = terms.credits;
        price.amounts = terms.amounts;
        price.receivers = terms.receivers;
        price.total = _totalOf(terms);
        emit PlanRegistered(planId, owner, terms);
    }

    function _registerVersion(uint256 versionId, uint256 planId, PlanTerms calldata terms) private {
        // A version of a version would mint credits of an id that no one holds.
        if (_planOfVersion[planId] != 0) revert PlanUnknown(planId);
        _register(versionId, _rules[planId].owner, terms);
        _planOfVersion[versionId] = planId;
        emit PlanVersionRegistered(planId, versionId, msg.sender);
    }

    /// Whether new terms are a better offer than the plan's first ones, or pay someone else.
    function _needsOwner(Price storage first, PlanTerms calldata terms) private view returns (bool) {
        if (terms.isCrypto != first.isCrypto || terms.token != first.token) return true;
        if (keccak256(abi.encode(terms.receivers)) != keccak256(abi.encode(first.receivers))) return true;
        (uint256 high, uint256 low) = Math.mul512(_totalOf(terms), first.credits);
        (uint256 firstHigh, uint256 firstLow) = Math.mul512(first.total, terms.credits);
        return high < firstHigh || (high == firstHigh && low < firstLow);
    }

    function _totalOf(PlanTerms calldata terms) private pure returns (uint256 total) {
        for (uint256 i = 0; i < terms.amounts.length; i++) {
            total += terms.amounts[i];
        }
    }

    function _checkTerms(address owner, PlanTerms calldata terms) private pure {
        if (owner == address(0)) revert PlanOwnerMissing();
        uint256 receivers = terms.receivers.length;
        if (receivers != terms.amounts.length) revert ReceiversDoNotMatchAmounts(receivers, terms.amounts.length);
        if (receivers > MAX_RECEIVERS) revert TooManyReceivers(receivers);
        for (uint256 i = 0; i < receivers; i++) {
            if (terms.receivers[i] == address(0)) revert ReceiverIsZero(i);
        }
        if (terms.redemptionType > ONLY_SUBSCRIBER || terms.redemptionType == 3) {
            revert RedemptionTypeUnknown(terms.redemptionType);
        }
        if (terms.minAmount > terms.maxAmount || terms.maxAmount == 0) {
            revert RedemptionRangeEmpty(terms.minAmount, terms.maxAmount);
        }
        if (terms.credits == 0) revert CreditsAreZero();
        if (terms.durationSecs > MAX_DURATION_SECS) revert DurationTooLong(terms.durationSecs);
    }

    function _markOrdered(Price storage price, uint256 planId, address account) private {
        if (price.oncePerAccount && hasOrdered[planId][account]) revert AlreadyOrdered(planId, account);
        hasOrdered[planId][account] = true;
    }

    function _pay(Price storage price) private {
        uint256 receivers = price.receivers.length;
        for (uint256 i = 0; i < receivers; i++) {
            uint256 amount = price.amounts[i];
            address receiver = price.receivers[i];
            if (amount == 0) continue;
            if (price.token == address(0)) _payNative(receiver, amount);
            else IERC20(price.token).safeTransferFrom(msg.sender, receiver, amount);
        }
    }

    function _payNative(address receiver, uint256 amount) private {
        (bool paid, bytes memory answer) = receiver.call{value: amount}("");
        if (paid) return;
        if (answer.length == 0) revert NativePaymentFailed(receiver);
        // The receiver's error says more than ours could: a re-entered order names itself.
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    function _use(bytes32 ref) private {
        if (isUsed[ref]) revert ReferenceUsed(ref);
        isUsed[ref] = true;
    }

    function _requirePlan(uint256 planId) private view {
        if (_rules[planId].owner == address(0)) revert PlanUnknown(planId);
    }
}
