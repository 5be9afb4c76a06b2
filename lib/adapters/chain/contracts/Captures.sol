// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Captures many authorizations in one transaction. It holds nothing and is approved by no one, so anyone may call it.
contract Captures {
    struct Call {
        address target;
        uint256 gas;
        bytes data;
    }

    /// Makes each call with its own gas: one that fails, or wastes what it has, leaves the others alone.
    function run(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool isDone,) = calls[i].target.call{gas: calls[i].gas}(calls[i].data);
            isDone;
        }
    }
}
