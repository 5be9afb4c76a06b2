// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token that keeps 1 % of each transfer. Used by tests only.
contract FeeToken is ERC20 {
    constructor() ERC20("Fee", "FEE") {}

    function faucet(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = from == address(0) ? 0 : value / 100;
        if (fee > 0) super._update(from, address(this), fee);
        super._update(from, to, value - fee);
    }
}
