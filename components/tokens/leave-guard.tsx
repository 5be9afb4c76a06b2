"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";

/** Asks once before the visitor leaves a token that is shown once and was not copied. */
export function LeaveGuard({ isActive }: { isActive: boolean }) {
  const router = useRouter();
  const [goesTo, setGoesTo] = useState<string | null>(null);
  const [wasAsked, setAsked] = useState(false);
  const isOn = isActive && !wasAsked;

  useEffect(() => {
    if (!isOn) return;
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    const click = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.("a[href]");
      if (!(link instanceof HTMLAnchorElement) || link.target === "_blank") return;
      if (link.origin !== location.origin || event.metaKey || event.ctrlKey) return;
      if (link.hash) return;
      event.preventDefault();
      event.stopPropagation();
      setGoesTo(link.pathname + link.search);
    };
    window.addEventListener("beforeunload", unload);
    document.addEventListener("click", click, true);
    return () => {
      window.removeEventListener("beforeunload", unload);
      document.removeEventListener("click", click, true);
    };
  }, [isOn]);

  return (
    <Dialog
      isOpen={goesTo !== null}
      onOpenChange={(isOpen) => !isOpen && setGoesTo(null)}
      title="Leave without copying the token?"
      description="You won’t see it again. The playground can use it until you reload or close this tab."
      footer={
        <>
          <Button data-safe onClick={() => setGoesTo(null)}>
            Stay
          </Button>
          <Button
            look="danger"
            onClick={() => {
              setAsked(true);
              if (goesTo) router.push(goesTo);
            }}
          >
            Leave
          </Button>
        </>
      }
    />
  );
}
