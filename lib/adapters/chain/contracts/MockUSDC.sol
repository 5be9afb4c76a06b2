// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// The sandbox's dollar: six decimals, and anyone may mint it.
contract MockUSDC is ERC20 {
    uint256 public constant FAUCET_MAX = 1_000_000e6;

    error FaucetLimit(uint256 maximum, uint256 requested);

    constructor() ERC20("USD Coin (sandbox)", "USDC") {}

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// Mints test money, at most FAUCET_MAX per call.
    function faucet(address to, uint256 amount) external {
        if (amount > FAUCET_MAX) revert FaucetLimit(FAUCET_MAX, amount);
        _mint(to, amount);
    }
}
