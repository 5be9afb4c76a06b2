"use client";

import { useRouter } from "next/navigation";
import { createResolver } from "../../forms/create-resolver.ts";
import { useOperationForm } from "../../forms/use-operation-form.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { UpdatePlan } from "../plan-types.ts";
import { readRedeemerLines } from "../read-credits.ts";

type RedeemersFormProps = { planId: string; redeemers: string[]; updatePlan: UpdatePlan };

type Values = { redeemers: string };

const resolver = createResolver(({ redeemers }: Values) => {
  const { addresses, faults } = readRedeemerLines(redeemers);
  return faults.length > 0 ? { faults } : { input: addresses };
});

/** The accounts that may use any subscriber's credits of the plan. */
export function RedeemersForm({ planId, redeemers, updatePlan }: RedeemersFormProps) {
  const router = useRouter();
  const form = useOperationForm<Values, string[]>({
    defaultValues: { redeemers: redeemers.join("\n") },
    mode: "onSubmit",
    resolver,
    run: (addresses) => updatePlan({ planId, redeemers: addresses }),
    onDone: () => {
      toast("Accounts saved");
      router.refresh();
    },
  });
  return (
    <form onSubmit={form.submit} noValidate className="grid gap-4">
      <Field
        label="Accounts"
        hint="One address per line. Accounts you remove can no longer use credits."
        error={form.formState.errors.redeemers?.message ?? form.failure}
      >
        <TextArea isMono spellCheck={false} {...form.register("redeemers")} />
      </Field>
      <div>
        <Button type="submit" isPending={form.isPending}>
          Save accounts
        </Button>
      </div>
    </form>
  );
}
