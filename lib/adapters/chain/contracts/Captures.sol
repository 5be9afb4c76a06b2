// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Captures many authorizations in one transaction. It holds nothing and is approved by no one, so anyone may call it.
contract Captures {
    struct Call {
        address target;
        uint256 gas;
        bytes data;
    }

    /// Makes each call with its own gas: one that fails, or wastes what it has, leaves the others alone. What a call returns is
    /// not read, because copying it would use the gas of the calls after it.
    function run(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            address target = calls[i].target;
            uint256 gasLimit = calls[i].gas;
            bytes memory data = calls[i].data;
            assembly ("memory-safe") {
                pop(call(gasLimit, target, 0, add(data, 0x20), mload(data), 0, 0))
            }
        }
    }
}
