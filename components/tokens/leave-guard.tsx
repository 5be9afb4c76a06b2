import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { guardPage } from "../shell/leave-page.ts";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";

/** Asks once before the visitor leaves a token that is shown once and was not copied. */
export function LeaveGuard() {
  const router = useRouter();
  const [asked, setAsked] = useState<{ go: () => void }>();
  const stop = useRef(() => {});

  useEffect(() => {
    stop.current = guardPage((go) => setAsked({ go }), router.push);
    return stop.current;
  }, [router]);

  return (
    <ConfirmDialog
      isOpen={asked !== undefined}
      onClose={() => setAsked(undefined)}
      title="Leave without copying the token?"
      description="You won’t see it again. The playground can use it until you reload or close this tab."
      safe="Stay"
      verb="Leave"
      onConfirm={() => {
        stop.current();
        setAsked(undefined);
        asked?.go();
      }}
    />
  );
}
