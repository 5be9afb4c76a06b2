import { confirmationOf } from "@/app/_session/confirmation-of.ts";
import { read } from "@/app/_session/operations.ts";
import { requireSession } from "@/app/_session/session.ts";
import { WithdrawForm } from "@/components/balance/withdraw-form.tsx";
import { Section } from "@/components/ui/page-header.tsx";
import { addWithdrawalAddress, createWithdrawal, removeWithdrawalAddress } from "../../actions.ts";

export const metadata = { title: "Withdraw USDC" };

export default async function WithdrawPage() {
  const [balance, addresses, session] = await Promise.all([
    read("getBalance", {}),
    read("listWithdrawalAddresses", {}),
    requireSession(),
  ]);
  const usdc = balance.currencies.find(({ currency }) => currency === "usdc");
  return (
    <Section id="withdraw" title="Withdraw USDC">
      <WithdrawForm
        available={usdc?.available ?? "0"}
        addresses={addresses}
        confirmation={await confirmationOf(session)}
        createWithdrawal={createWithdrawal}
        addWithdrawalAddress={addWithdrawalAddress}
        removeWithdrawalAddress={removeWithdrawalAddress}
      />
    </Section>
  );
}
