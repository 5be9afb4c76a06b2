import { useQuery } from "@tanstack/react-query";
import { readQuery } from "../../data/read-operation.ts";
import { Field } from "../../ui/fields/field.tsx";
import { Select } from "../../ui/fields/select.tsx";
import { dateText } from "../../ui/values/time-text.ts";

type DelegationChoiceProps = {
  value: string | undefined;
  onChange: (delegationId: string | undefined) => void;
};

/** The delegation a token spends within; without one, the service creates it. */
export function DelegationChoice({ value, onChange }: DelegationChoiceProps) {
  const { data, refetch } = useQuery(readQuery("listDelegations", { limit: 50 }));
  const active = data?.items.filter(({ status }) => status === "Active") ?? [];
  const options = [
    { value: "", label: "New, for this call only" },
    ...active.map(({ delegationId, name, provider, expiresAt }) => ({
      value: delegationId,
      label: name ?? `${delegationId.slice(0, 12)}…`,
      note: `${provider === "erc4337" ? "On-chain" : "Card"}, expires ${dateText(new Date(expiresAt))}`,
    })),
  ];
  return (
    <Field label="Delegation" hint="The token for this call spends within its limits.">
      <Select
        options={options}
        value={value ?? ""}
        // A delegation may have been created or revoked elsewhere meanwhile.
        onOpen={() => void refetch()}
        onValueChange={(id) => onChange(id === "" ? undefined : id)}
      />
    </Field>
  );
}
