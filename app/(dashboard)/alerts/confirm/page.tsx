import { read } from "@/app/_session/operations.ts";
import { ConfirmAddress } from "@/components/alerts/confirm-address.tsx";
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
          : "No address of this account waits to be confirmed. Enter one on the page of alerts."}
      </PageHeader>
      {unconfirmed && <ConfirmAddress confirmEmailAddress={confirmEmailAddress} />}
    </>
  );
}
