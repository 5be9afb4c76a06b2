import { read } from "@/app/_session/operations.ts";
import { ConfirmAddress } from "@/components/alerts/confirm-address.tsx";
import { NothingYet } from "@/components/ui/nothing-yet.tsx";
import { PageHeader } from "@/components/ui/page-header.tsx";
import { confirmEmailAddress } from "../actions.ts";

export const metadata = { title: "Confirm address" };

export default async function ConfirmAddressPage() {
  const { unconfirmed } = await read("getEmailAddress", {});
  return (
    <>
      <PageHeader title="Confirm address">
        {unconfirmed && `Alerts and approvals for this account will be emailed to ${unconfirmed}.`}
      </PageHeader>
      {unconfirmed ? (
        <ConfirmAddress confirmEmailAddress={confirmEmailAddress} />
      ) : (
        <NothingYet title="No address to confirm" action="Open alerts" href="/alerts">
          You have no email address to confirm. Add one in Alerts.
        </NothingYet>
      )}
    </>
  );
}
