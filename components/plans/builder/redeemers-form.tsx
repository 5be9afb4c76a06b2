"use client";

import { useRouter } from "next/navigation";
import { useForm } from "react-hook-form";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/fields/field.tsx";
import { TextArea } from "../../ui/fields/text-area.tsx";
import { toast } from "../../ui/overlays/toast-store.ts";
import type { UpdatePlan } from "../plan-settings.tsx";
import { readRedeemerLines } from "../read-credits.ts";

type RedeemersFormProps = { planId: string; redeemers: string[]; updatePlan: UpdatePlan };

/** The accounts that may use any subscriber's credits of the plan. */
export function RedeemersForm({ planId, redeemers, updatePlan }: RedeemersFormProps) {
  const router = useRouter();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { redeemers: redeemers.join("\n") },
  });
  const save = handleSubmit(async ({ redeemers: text }) => {
    const { addresses, faults } = readRedeemerLines(text);
    const refuse = (message: string) => setError("redeemers", { message }, { shouldFocus: true });
    if (faults[0]) return refuse(faults[0].message);
    const updated = await updatePlan({ planId, redeemers: addresses }).catch(() => null);
    if (!updated?.ok) {
      return refuse(
        updated ? `${updated.message} ${updated.hint}` : "The service cannot be reached.",
      );
    }
    toast("Accounts saved");
    router.refresh();
  });
  return (
    <form onSubmit={save} noValidate className="grid gap-4">
      <Field
        label="Accounts"
        hint="One address a line. Who is taken away can use no credits from the next call on."
        error={formState.errors.redeemers?.message}
      >
        <TextArea isMono spellCheck={false} {...register("redeemers")} />
      </Field>
      <div>
        <Button type="submit" isPending={formState.isSubmitting}>
          Save accounts
        </Button>
      </div>
    </form>
  );
}
