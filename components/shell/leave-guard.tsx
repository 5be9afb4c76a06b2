import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { guardPage } from "./leave-page.ts";

type LeaveGuardProps = { title: string; description: string };

/** Asks once before the visitor leaves the page, while it is rendered. */
export function LeaveGuard({ title, description }: LeaveGuardProps) {
  const router = useRouter();
  const [asked, setAsked] = useState<{ go: () => void }>();
  useEffect(() => guardPage((go) => setAsked({ go }), router.push), [router]);
  return (
    <ConfirmDialog
      isOpen={asked !== undefined}
      onClose={() => setAsked(undefined)}
      title={title}
      description={description}
      safe="Stay"
      verb="Leave"
      onConfirm={() => {
        setAsked(undefined);
        asked?.go();
      }}
    />
  );
}

/** The same while a form has edits that were not saved: `{form.formState.isDirty && <UnsavedGuard />}`. */
export const UnsavedGuard = () => (
  <LeaveGuard title="Leave without saving?" description="Your changes will be lost." />
);
