import type { IconName } from "../ui/icon.tsx";

/** `key` is pressed after `g` to open the section; `newHref` is what `n` opens on its list. */
export type Section = {
  href: string;
  label: string;
  icon: IconName;
  key?: string;
  newHref?: string;
};

/** The sections of the dashboard, for the navigation, the command menu and the shortcuts. */
export const SECTION_GROUPS: readonly { title: string | null; sections: readonly Section[] }[] = [
  {
    title: null,
    sections: [
      { href: "/home", label: "Home", icon: "home", key: "h" },
      { href: "/alerts", label: "Alerts", icon: "bell", key: "i" },
      { href: "/approvals", label: "Approvals", icon: "verified", key: "v" },
    ],
  },
  {
    title: "Sell",
    sections: [
      { href: "/plans", label: "Plans", icon: "plans", key: "p", newHref: "/plans/new" },
      { href: "/agents", label: "Agents", icon: "agents", key: "a", newHref: "/agents/new" },
      { href: "/customers", label: "Customers", icon: "wallet", key: "u" },
    ],
  },
  {
    title: "Buy",
    sections: [
      { href: "/explore", label: "Explore", icon: "store", key: "x" },
      { href: "/subscriptions", label: "Subscriptions", icon: "subscriptions", key: "s" },
      {
        href: "/delegations",
        label: "Delegations",
        icon: "gauge",
        key: "d",
        newHref: "/delegations/new",
      },
      { href: "/tokens", label: "Tokens", icon: "key", key: "t" },
      { href: "/payment-methods", label: "Cards", icon: "card", key: "c" },
    ],
  },
  {
    title: "Money",
    sections: [
      { href: "/balance", label: "Balance", icon: "balance", key: "b" },
      { href: "/earnings", label: "Earnings", icon: "earnings", key: "e" },
    ],
  },
  {
    title: "Work",
    sections: [
      { href: "/playground", label: "Playground", icon: "playground", key: "l" },
      { href: "/activity", label: "Activity", icon: "activity", key: "y" },
      { href: "/doctor", label: "Doctor", icon: "doctor", key: "o" },
      { href: "/settings/api-keys", label: "API keys", icon: "console", key: "k" },
      { href: "/settings/webhooks", label: "Webhooks", icon: "hook", key: "w" },
    ],
  },
];

export const SECTIONS: readonly Section[] = SECTION_GROUPS.flatMap(({ sections }) => sections);

export const sectionOf = (path: string): Section | undefined =>
  SECTIONS.find(({ href }) => path === href || path.startsWith(`${href}/`));

/** The same section in the other environment's deployment: an object exists in one of them only. */
export const sectionIn = (otherUrl: string, path: string): string =>
  new URL(sectionOf(path)?.href ?? "/home", otherUrl).href;
