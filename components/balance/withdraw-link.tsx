"use client";

import { usePathname } from "next/navigation";
import { ButtonLink } from "../ui/button-link.tsx";

/** The way to withdraw, on every page but its own. */
export function WithdrawLink() {
  const href = "/balance/withdraw";
  return usePathname() !== href && <ButtonLink href={href}>Withdraw USDC</ButtonLink>;
}
