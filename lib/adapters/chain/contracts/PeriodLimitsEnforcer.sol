// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPlans} from "./PlanTerms.sol";
import {Execution} from "./SessionLimitsEnforcer.sol";

enum Period {
    Call,
    Day,
    Week,
    Month
}

/// What orders may cost within one UTC calendar period, in the token's smallest unit.
struct PeriodLimit {
    /// Grants of an account with the same scope share what is left.
    bytes32 scope;
    Period period;
    uint256 limit;
}

struct PeriodTerms {
    address plans;
    address token;
    PeriodLimit[] limits;
}

/// A caveat beside SessionLimitsEnforcer, which decides what may be called: it bounds what orders cost in each period.
/// Counters belong to (delegation manager, account, scope): another grant of the same scope counts on.
contract PeriodLimitsEnforcer {
    /// An order that took a day to be included still counts on the day it was made.
    uint256 public constant GRACE = 1 days;
    /// How far an order's time may be ahead of the chain's, whose clock is another one.
    uint256 public immutable lead;

    mapping(address manager => mapping(address account => mapping(bytes32 key => uint256))) public spent;

    error ModeNotPermitted(bytes32 mode);
    error CallMalformed(bytes4 selector);
    error OrderTokenNotPermitted(address token);
    error PeriodLimitExceeded(Period period, uint256 limit, uint256 requested);

    constructor(uint256 lead_) {
        lead = lead_;
    }

    /// Called by the delegation manager before the account acts. `args` is when the order was made, in Unix seconds; the
    /// chain's time without it. The session key chooses it, which moves no limit: each period has its own.
    function beforeHook(
        bytes calldata terms,
        bytes calldata args,
        bytes32 mode,
        bytes calldata executionCallData,
        bytes32,
        address account,
        address
    ) external {
        PeriodTerms memory bounds = abi.decode(terms, (PeriodTerms));
        uint256 total = _costOf(bounds, mode, executionCallData);
        if (total == 0) return;
        uint256 at = _timeOf(args);
        mapping(bytes32 => uint256) storage counters = spent[msg.sender][account];
        for (uint256 i = 0; i < bounds.limits.length; i++) {
            PeriodLimit memory bound = bounds.limits[i];
            bytes32 key = keyOf(bound.scope, bounds.token, bound.period, at);
            uint256 used = bound.period == Period.Call ? 0 : counters[key];
            if (used > bound.limit || total > bound.limit - used) {
                revert PeriodLimitExceeded(bound.period, bound.limit, used + total);
            }
            if (bound.period != Period.Call) counters[key] = used + total;
        }
    }

    function beforeAllHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    function afterHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    function afterAllHook(bytes calldata, bytes calldata, bytes32, bytes calldata, bytes32, address, address) external {}

    /// The counter of the period that holds a second.
    function keyOf(bytes32 scope, address token, Period period, uint256 at) public pure returns (bytes32) {
        return keccak256(abi.encode(scope, token, period, indexOf(period, at)));
    }

    /// Counts UTC days, weeks from Monday, and months of the calendar.
    function indexOf(Period period, uint256 at) public pure returns (uint256) {
        uint256 day = at / 1 days;
        if (period == Period.Day) return day;
        // 1 January 1970 was a Thursday.
        if (period == Period.Week) return (day + 3) / 7;
        if (period == Period.Call) return 0;
        // Months from March, so that a leap day is a year's last. An era is 400 years.
        uint256 shifted = day + 719_468;
        uint256 dayOfEra = shifted % 146_097;
        uint256 yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        uint256 dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        return (shifted / 146_097 * 400 + yearOfEra) * 12 + (5 * dayOfYear + 2) / 153;
    }

    /// What the orders among the calls cost together. Only the two modes that revert on failure.
    function _costOf(PeriodTerms memory bounds, bytes32 mode, bytes calldata data) private view returns (uint256 total) {
        if (mode == bytes32(0)) {
            return _orderCost(bounds, address(bytes20(data[:20])), data[52:]);
        }
        if (mode != bytes32(uint256(1) << 248)) revert ModeNotPermitted(mode);
        Execution[] memory executions = abi.decode(data, (Execution[]));
        for (uint256 i = 0; i < executions.length; i++) {
            total += _orderCost(bounds, executions[i].target, executions[i].callData);
        }
    }

    function _orderCost(PeriodTerms memory bounds, address target, bytes memory callData)
        private
        view
        returns (uint256)
    {
        if (target != bounds.plans || bytes4(callData) != IPlans.order.selector) return 0;
        if (callData.length != 4 + 32) revert CallMalformed(IPlans.order.selector);
        uint256 versionId;
        assembly ("memory-safe") {
            versionId := mload(add(callData, 36))
        }
        (address token, uint256 total) = IPlans(bounds.plans).priceOf(versionId);
        if (total > 0 && token != bounds.token) revert OrderTokenNotPermitted(token);
        return total;
    }

    function _timeOf(bytes calldata args) private view returns (uint256) {
        if (args.length != 32) return block.timestamp;
        uint256 at = abi.decode(args, (uint256));
        if (at > block.timestamp + lead) return block.timestamp + lead;
        return at + GRACE < block.timestamp ? block.timestamp - GRACE : at;
    }
}
