import { read } from "@/app/_session/operations.ts";
import { ConfirmAddress } from "@/components/alerts/confirm-address.tsx";
import { ButtonLink } from "@/components/ui/button-link.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { confirmEmailAddress } from "../actions.ts";

export const metadata = { title: "Confirm address" };

export default async function ConfirmAddressPage() {
  const { unconfirmed } = await read("getEmailAddress", {});
  return (
    <>
      <PageHeader title="Confirm address">
        {unconfirmed
          ? `Alerts and approvals of this account will be mailed to ${unconfirmed}.`
          : "No address is waiting for confirmation. Enter one under Alerts."}
      </PageHeader>
      {unconfirmed ? (
        <ConfirmAddress confirmEmailAddress={confirmEmailAddress} />
      ) : (
        <ButtonLink href="/alerts">Open alerts</ButtonLink>
      )}
    </>
  );
}
