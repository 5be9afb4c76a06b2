// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {IPlans, RedemptionRule, ONLY_GLOBAL_ROLE, ONLY_OWNER, ONLY_PLAN_ROLE, ONLY_SUBSCRIBER} from "./PlanTerms.sol";

/// Credits of every plan as non-transferable ERC-1155 balances; the token id is the plan's id.
/// Only `Plans` mints. A burn redeems `count` calls at once and names the Merkle root of their receipts.
contract Credits is ERC1155 {
    /// A redemption agreed just before the credits expired may still be included this much later.
    uint64 public constant EXPIRY_GRACE_SECS = 1 days;

    IPlans public immutable plans;

    /// When an account's credits of a plan expire; 0 means never.
    mapping(address account => mapping(uint256 planId => uint64)) public expiresAt;

    event CreditsMinted(address indexed account, uint256 indexed planId, uint256 amount, uint64 expiresAt);
    event CreditsBurned(
        address indexed account,
        uint256 indexed planId,
        bytes32 indexed root,
        uint256 amount,
        uint256 count,
        address redeemer
    );
    event CreditsRevoked(address indexed account, uint256 indexed planId, uint256 amount);
    event CreditsExpired(address indexed account, uint256 indexed planId, uint256 amount);

    error CreditsNotTransferable();
    error OnlyPlansMayMint(address caller);
    error BurnNotPermitted(address caller, address account, uint256 planId);
    error CountIsZero();
    error AmountOutOfRange(uint256 amount, uint256 minimum, uint256 maximum);
    error ProofMissing(uint256 planId);
    error CreditsEnded(address account, uint256 planId, uint64 endedAt);
    error InsufficientCredits(address account, uint256 planId, uint256 balance, uint256 amount);
    error CreditsStillValid(address account, uint256 planId, uint64 endsAt);

    modifier onlyPlans() {
        if (msg.sender != address(plans)) revert OnlyPlansMayMint(msg.sender);
        _;
    }

    constructor(IPlans plans_) ERC1155("") {
        plans = plans_;
    }

    /// Mints an order's credits and extends the expiry of the account's credits of that plan.
    function mint(address account, uint256 planId, uint256 amount, uint64 durationSecs) external onlyPlans {
        uint64 endedAt = expiresAt[account][planId];
        // Credits that expired before this order must not become valid again.
        if (endedAt != 0 && block.timestamp >= endedAt) _expire(account, planId);
        uint64 endsAt = durationSecs == 0 ? 0 : uint64(block.timestamp) + durationSecs;
        expiresAt[account][planId] = endsAt;
        _mint(account, planId, amount, "");
        emit CreditsMinted(account, planId, amount, endsAt);
    }

    /// Takes credits back after a refund or a chargeback.
    function revoke(address account, uint256 planId, uint256 amount) external onlyPlans {
        _spend(account, planId, amount);
        emit CreditsRevoked(account, planId, amount);
    }

    /// Redeems `count` calls that cost `amount` credits together. `root` is the Merkle root over their receipts.
    /// A session burns through the delegation framework, so the caller is the holder's own account.
    function burn(address account, uint256 planId, uint256 amount, uint256 count, bytes32 root) external {
        RedemptionRule memory rule = plans.redemptionRuleOf(planId, account);
        if (!_mayBurn(rule, account, planId)) revert BurnNotPermitted(msg.sender, account, planId);
        if (count == 0) revert CountIsZero();
        if (rule.proofRequired && root == bytes32(0)) revert ProofMissing(planId);
        uint64 endsAt = expiresAt[account][planId];
        if (endsAt != 0 && block.timestamp >= endsAt + EXPIRY_GRACE_SECS) revert CreditsEnded(account, planId, endsAt);
        if (rule.timeBased) {
            if (amount != 0) revert AmountOutOfRange(amount, 0, 0);
            uint256 balance = balanceOf(account, planId);
            if (balance == 0) revert InsufficientCredits(account, planId, 0, 1);
        } else {
            uint256 minimum = count * rule.minAmount;
            uint256 maximum = count * rule.maxAmount;
            if (amount == 0 || amount < minimum || amount > maximum) revert AmountOutOfRange(amount, minimum, maximum);
            _spend(account, planId, amount);
        }
        emit CreditsBurned(account, planId, root, amount, count, msg.sender);
    }

    /// Removes credits whose expiry and grace have passed. Anyone may call it.
    function expire(address account, uint256 planId) external {
        uint64 endsAt = expiresAt[account][planId];
        if (endsAt == 0 || block.timestamp < endsAt + EXPIRY_GRACE_SECS) {
            revert CreditsStillValid(account, planId, endsAt);
        }
        _expire(account, planId);
    }

    function setApprovalForAll(address, bool) public pure override {
        revert CreditsNotTransferable();
    }

    function _update(address from, address to, uint256[] memory ids, uint256[] memory values) internal override {
        if (from != address(0) && to != address(0)) revert CreditsNotTransferable();
        super._update(from, to, ids, values);
    }

    function _mayBurn(RedemptionRule memory rule, address account, uint256 planId) private view returns (bool) {
        if (rule.redemptionType == ONLY_SUBSCRIBER) return msg.sender == account;
        if (rule.redemptionType == ONLY_OWNER) return msg.sender == rule.owner;
        if (rule.redemptionType == ONLY_PLAN_ROLE) return plans.hasPlanRole(planId, msg.sender);
        if (rule.redemptionType == ONLY_GLOBAL_ROLE) return plans.hasGlobalRole(msg.sender);
        return false;
    }

    function _spend(address account, uint256 planId, uint256 amount) private {
        uint256 balance = balanceOf(account, planId);
        if (balance < amount) revert InsufficientCredits(account, planId, balance, amount);
        _burn(account, planId, amount);
    }

    function _expire(address account, uint256 planId) private {
        uint256 balance = balanceOf(account, planId);
        if (balance == 0) return;
        _burn(account, planId, balance);
        emit CreditsExpired(account, planId, balance);
    }
}
