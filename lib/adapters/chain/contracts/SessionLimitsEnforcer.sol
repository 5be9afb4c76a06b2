// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Credits} from "./Credits.sol";
import {IPlans} from "./PlanTerms.sol";

/// What a session key may do with an account. An empty `planIds` means any plan.
struct SessionTerms {
    address plans;
    address credits;
    uint256[] planIds;
    /// Sum of PERMISSION_* bits.
    uint8 permissions;
    /// Total number of calls that may be redeemed.
    uint128 redemptionLimit;
    /// Token of the order limit; zero for the chain's own coin.
    address orderToken;
    /// Total that may be paid for orders, in the token's smallest unit.
    uint256 orderLimit;
    /// The grant expires at this second; 0 means never.
    uint64 validUntil;
}

uint8 constant PERMISSION_ORDER = 1;
uint8 constant PERMISSION_BURN = 2;
// For grants of plan owners and operators: burn credits that others hold.
uint8 constant PERMISSION_BURN_FOR_OTHERS = 4;

struct Execution {
    address target;
    uint256 value;
    bytes callData;
}

/// A caveat that binds a delegation to orders and burns of given plans and counts what it has used.
/// Counters belong to (delegation manager, delegation hash): signing or enabling a grant again does not reset them.
/// All checks run in execution, while the delegation is redeemed: a refusal fails only its operation.
contract SessionLimitsEnforcer {
    struct Usage {
        uint128 redemptions;
        uint256 spent;
    }

    mapping(address manager => mapping(bytes32 delegationHash => Usage)) public usage;
    mapping(address account => mapping(bytes32 delegationHash => bool)) public isRevoked;

    event GrantUsed(address indexed manager, bytes32 indexed delegationHash, uint128 redemptions, uint256 spent);
    event GrantRevoked(address indexed account, bytes32 indexed delegationHash);

    error GrantIsRevoked(bytes32 delegationHash);
    error GrantEnded(uint64 validUntil);
    error ModeNotPermitted(bytes32 mode);
    error TargetNotPermitted(address target);
    error SelectorNotPermitted(bytes4 selector);
    error PermissionMissing(uint8 permission);
    error PlanNotPermitted(uint256 planId);
    error HolderNotPermitted(address holder);
    error CallMalformed(bytes4 selector);
    error ValueNotPermitted(uint256 expected, uint256 value);
    error ApprovalNotPermitted(address token, address spender, uint256 amount);
    error OrderTokenNotPermitted(address token);
    error RedemptionLimitExceeded(uint256 limit, uint256 requested);
    error OrderLimitExceeded(uint256 limit, uint256 requested);

    /// Revokes a grant for good, regardless of the delegation manager. Called by the account that signed it.
    function revoke(bytes32 delegationHash) external {
        isRevoked[msg.sender][delegationHash] = true;
        emit GrantRevoked(msg.sender, delegationHash);
    }

    /// Called by the delegation manager before the account acts.
    function beforeHook(
        bytes calldata terms,
        bytes calldata,
        bytes32 mode,
        bytes calldata executionCallData,
        bytes32 delegationHash,
        address delegator,
        address
    ) external {
        SessionTerms memory session = abi.decode(terms, (SessionTerms));
        if (isRevoked[delegator][delegationHash]) revert GrantIsRevoked(delegationHash);
        if (session.validUntil != 0 && block.timestamp >= session.validUntil) revert GrantEnded(session.validUntil);

        Usage memory used = usage[msg.sender][delegationHash];
        Execution[] memory executions = _executions(mode, executionCallData);
        for (uint256 i = 0; i < executions.length; i++) {
            _check(session, used, executions, i, delegator);
        }
        usage[msg.sender][delegationHash] = used;
        emit GrantUsed(msg.sender, delegationHash, used.redemptions, used.spent);
    }

    function beforeAllHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    function afterHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    function afterAllHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    /// Only the two modes that revert on failure: first byte single or batch, all else zero.
    function _executions(bytes32 mode, bytes calldata data) private pure returns (Execution[] memory executions) {
        if (mode == bytes32(0)) {
            executions = new Execution[](1);
            executions[0] = Execution(address(bytes20(data[:20])), uint256(bytes32(data[20:52])), data[52:]);
        } else if (mode == bytes32(uint256(1) << 248)) {
            executions = abi.decode(data, (Execution[]));
        } else {
            revert ModeNotPermitted(mode);
        }
    }

    function _check(
        SessionTerms memory session,
        Usage memory used,
        Execution[] memory executions,
        uint256 index,
        address delegator
    ) private view {
        Execution memory execution = executions[index];
        bytes4 selector = bytes4(execution.callData);
        if (execution.target == session.credits) {
            if (selector != Credits.burn.selector) revert SelectorNotPermitted(selector);
            _checkBurn(session, used, execution, delegator);
        } else if (execution.target == session.plans) {
            if (selector != IPlans.order.selector) revert SelectorNotPermitted(selector);
            _checkOrder(session, used, execution);
        } else if (execution.target == session.orderToken && execution.target != address(0)) {
            if (selector != IERC20.approve.selector) revert SelectorNotPermitted(selector);
            _checkApproval(session, executions, index);
        } else {
            revert TargetNotPermitted(execution.target);
        }
    }

    function _checkBurn(SessionTerms memory session, Usage memory used, Execution memory execution, address delegator)
        private
        pure
    {
        if (session.permissions & PERMISSION_BURN == 0) revert PermissionMissing(PERMISSION_BURN);
        if (execution.value != 0) revert ValueNotPermitted(0, execution.value);
        if (execution.callData.length != 4 + 5 * 32) revert CallMalformed(Credits.burn.selector);
        (address holder, uint256 planId,, uint256 count,) =
            abi.decode(_arguments(execution.callData), (address, uint256, uint256, uint256, bytes32));
        if (holder != delegator && session.permissions & PERMISSION_BURN_FOR_OTHERS == 0) {
            revert HolderNotPermitted(holder);
        }
        _checkPlan(session, planId);
        uint256 left = session.redemptionLimit - used.redemptions;
        if (count > left) revert RedemptionLimitExceeded(session.redemptionLimit, count);
        used.redemptions += uint128(count);
    }

    function _checkOrder(SessionTerms memory session, Usage memory used, Execution memory execution) private view {
        if (session.permissions & PERMISSION_ORDER == 0) revert PermissionMissing(PERMISSION_ORDER);
        uint256 versionId = _orderedPlan(execution);
        _checkPlan(session, IPlans(session.plans).planOfVersion(versionId));
        (address token, uint256 total) = IPlans(session.plans).priceOf(versionId);
        uint256 expected = token == address(0) ? total : 0;
        if (execution.value != expected) revert ValueNotPermitted(expected, execution.value);
        if (total == 0) return;
        if (token != session.orderToken) revert OrderTokenNotPermitted(token);
        if (total > session.orderLimit - used.spent) revert OrderLimitExceeded(session.orderLimit, total);
        used.spent += total;
    }

    /// An approval passes only as the first half of an order: exactly its price, and the order comes next.
    function _checkApproval(SessionTerms memory session, Execution[] memory executions, uint256 index) private view {
        Execution memory execution = executions[index];
        if (session.permissions & PERMISSION_ORDER == 0) revert PermissionMissing(PERMISSION_ORDER);
        if (execution.value != 0) revert ValueNotPermitted(0, execution.value);
        if (execution.callData.length != 4 + 2 * 32) revert CallMalformed(IERC20.approve.selector);
        (address spender, uint256 amount) = abi.decode(_arguments(execution.callData), (address, uint256));
        if (spender == session.plans && index + 1 < executions.length) {
            Execution memory next = executions[index + 1];
            if (next.target == session.plans && bytes4(next.callData) == IPlans.order.selector) {
                (address token, uint256 total) = IPlans(session.plans).priceOf(_orderedPlan(next));
                if (token == execution.target && total == amount) return;
            }
        }
        revert ApprovalNotPermitted(execution.target, spender, amount);
    }

    function _checkPlan(SessionTerms memory session, uint256 planId) private pure {
        uint256 length = session.planIds.length;
        if (length == 0) return;
        for (uint256 i = 0; i < length; i++) {
            if (session.planIds[i] == planId) return;
        }
        revert PlanNotPermitted(planId);
    }

    function _orderedPlan(Execution memory execution) private pure returns (uint256) {
        if (execution.callData.length != 4 + 32) revert CallMalformed(IPlans.order.selector);
        return abi.decode(_arguments(execution.callData), (uint256));
    }

    /// Calldata without its selector, copied so that it can be decoded from memory.
    function _arguments(bytes memory callData) private pure returns (bytes memory arguments) {
        arguments = new bytes(callData.length - 4);
        assembly ("memory-safe") {
            mcopy(add(arguments, 32), add(callData, 36), mload(arguments))
        }
    }
}
