// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

/// Who may stop sales, and how much a stolen minter key can move in a day. The administrator changes both.
abstract contract OperatorControls is AccessControl, Pausable {
    /// Pauses orders; only the administrator resumes them.
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");
    /// Mints orders paid off chain and takes refunded credits back, within the daily cap.
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");

    /// What the minter may do in a day that begins at 00:00 UTC, mints and take-backs together.
    struct DailyCap {
        /// Per plan, in orders: this many times the credits that one order of the plan's first version mints.
        uint64 orders;
        /// Over all plans: the number of calls.
        uint64 calls;
    }

    DailyCap public dailyCap;

    /// What the minter has used of the cap, by day since 1970.
    mapping(uint256 planId => mapping(uint256 day => uint256 amount)) private _movedOn;
    mapping(uint256 day => uint256 calls) private _callsOn;

    event DailyCapChanged(uint64 orders, uint64 calls);

    error DailyCapExceeded(uint256 planId, uint256 cap, uint256 requested);
    error DailyCallsExceeded(uint64 cap);

    constructor() {
        _setDailyCap(10, 1_000);
    }

    function setDailyCap(uint64 orders, uint64 calls) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setDailyCap(orders, calls);
    }

    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    function _setDailyCap(uint64 orders, uint64 calls) private {
        dailyCap = DailyCap(orders, calls);
        emit DailyCapChanged(orders, calls);
    }

    /// Counts a mint or take-back against today's cap. `credits` is what one order of the plan mints.
    function _useCap(uint256 planId, uint256 credits, uint256 amount) internal {
        DailyCap memory cap = dailyCap;
        uint256 today = block.timestamp / 1 days;
        uint256 most = Math.saturatingMul(cap.orders, credits);
        uint256 moved = Math.saturatingAdd(_movedOn[planId][today], amount);
        if (moved > most) revert DailyCapExceeded(planId, most, moved);
        _movedOn[planId][today] = moved;
        if (++_callsOn[today] > cap.calls) revert DailyCallsExceeded(cap.calls);
    }
}
