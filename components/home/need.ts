import type { IconName } from "../ui/icon.tsx";

/** Something that needs attention, and where to handle it. */
export type Need = {
  key: string;
  /** The larger, the more urgent. */
  harm: number;
  icon: IconName;
  tone: "unsettled" | "refused" | "neutral";
  title: string;
  detail: string;
  action: { label: string; href: string };
};
