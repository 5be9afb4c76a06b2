// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IPlans} from "../PlanTerms.sol";

/// A receiver of money that orders again while it is being paid. Used by tests only.
contract ReentrantReceiver {
    IPlans private immutable plans;
    uint256 private immutable planId;

    constructor(IPlans plans_, uint256 planId_) payable {
        plans = plans_;
        planId = planId_;
    }

    receive() external payable {
        plans.order{value: msg.value}(planId);
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }
}
