// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

// Who may burn credits of a plan. The numbers are the specification's (§2.12); 3 is not in use.
uint8 constant ONLY_GLOBAL_ROLE = 0;
uint8 constant ONLY_OWNER = 1;
uint8 constant ONLY_PLAN_ROLE = 2;
uint8 constant ONLY_SUBSCRIBER = 4;

/// What a plan costs, what it grants and how its credits are redeemed. Fixed at registration: a change is a new
/// version with a new id.
struct PlanTerms {
    /// ERC-20 of the price; zero for the chain's own coin and for plans sold by card.
    address token;
    uint256[] amounts;
    address[] receivers;
    /// Credits one order mints.
    uint256 credits;
    /// Smallest and largest redemption, in credits.
    uint128 minAmount;
    uint128 maxAmount;
    /// Lifetime of the credits after the latest order; 0 means unlimited.
    uint64 durationSecs;
    uint8 redemptionType;
    bool proofRequired;
    /// False: sold by card, minted by the operator only.
    bool isCrypto;
    /// True: an order buys time; a redemption is counted and burns nothing.
    bool timeBased;
    /// True: an account may order it once (trial plans).
    bool oncePerAccount;
}

/// The part of a plan that a burn reads: one slot and a half.
struct RedemptionRule {
    address owner;
    uint8 redemptionType;
    bool proofRequired;
    bool timeBased;
    uint64 durationSecs;
    uint128 minAmount;
    uint128 maxAmount;
}

interface IPlans {
    /// Throws for an unknown plan.
    function redemptionRule(uint256 planId) external view returns (RedemptionRule memory);

    /// The rule of the version that an account ordered last. Throws for an unknown plan.
    function redemptionRuleOf(uint256 planId, address account) external view returns (RedemptionRule memory);

    /// The plan whose credits an order of `versionId` mints; a first version has the plan's id.
    function planOfVersion(uint256 versionId) external view returns (uint256 planId);

    /// Price of one order. Throws for an unknown plan and for a plan that is not sold on chain.
    function priceOf(uint256 planId) external view returns (address token, uint256 total);

    function hasGlobalRole(address account) external view returns (bool);

    function hasPlanRole(uint256 planId, address account) external view returns (bool);

    function order(uint256 versionId) external payable;
}
