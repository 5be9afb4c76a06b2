"use client";

import type { Environment } from "@turnpike/payments/protocol";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { IconButton } from "../../ui/icon-button.tsx";
import { createLater } from "../../ui/later.ts";
import { useShortcuts } from "../use-shortcuts.ts";
import { findCalledRoute } from "./called-routes.ts";

const ApiPanel = createLater(() => import("./api-panel.tsx"), "ApiPanel");

/** Opens the calls that make the same reads and changes as the page. */
export function ApiButton({ environment }: { environment: Environment }) {
  const [isOpen, setOpen] = useState(false);
  const path = usePathname();
  const hasCalls = findCalledRoute(path) !== undefined;
  const Panel = ApiPanel.usePart(isOpen, () => setOpen(false));
  useShortcuts({ "`": () => setOpen(hasCalls) });
  if (!hasCalls) return null;
  return (
    <>
      <IconButton
        icon="console"
        label="Use the API"
        aria-haspopup="dialog"
        {...ApiPanel.near}
        onClick={() => setOpen(true)}
        className="max-sm:hidden"
      />
      {Panel && (
        <Panel
          path={path}
          environment={environment}
          isOpen={isOpen}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
