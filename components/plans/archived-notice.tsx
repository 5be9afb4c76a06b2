import type { ReactNode } from "react";
import { Notice } from "../ui/notice.tsx";

/** Says that a plan is archived, and what stays usable. */
export const ArchivedNotice = (props: { action?: ReactNode; className?: string }) => (
  <Notice tone="neutral" title="This plan is archived and can’t be ordered." {...props}>
    Credits that were bought stay usable until they expire, and access tokens work as before.
  </Notice>
);
