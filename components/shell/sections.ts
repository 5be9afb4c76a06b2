import {
  Bot,
  ChartColumn,
  CreditCard,
  Gauge,
  House,
  KeyRound,
  ListVideo,
  type LucideIcon,
  Rows3,
  Search,
  SquareTerminal,
  Store,
  Tag,
  Ticket,
} from "lucide-react";

/** `key` is the second key of its shortcut, after `g`. */
export type Section = { href: string; label: string; icon: LucideIcon; key?: string };

/** The dashboard's places, as the rail, the command menu and the shortcuts list them. */
export const SECTION_GROUPS: readonly { title: string | null; sections: readonly Section[] }[] = [
  { title: null, sections: [{ href: "/home", label: "Home", icon: House, key: "h" }] },
  {
    title: "Sell",
    sections: [
      { href: "/plans", label: "Plans", icon: Tag, key: "p" },
      { href: "/agents", label: "Agents", icon: Bot, key: "a" },
      { href: "/earnings", label: "Earnings", icon: ChartColumn, key: "e" },
    ],
  },
  {
    title: "Buy",
    sections: [
      { href: "/explore", label: "Explore", icon: Store, key: "x" },
      { href: "/subscriptions", label: "Subscriptions", icon: Ticket, key: "s" },
      { href: "/delegations", label: "Delegations", icon: Gauge, key: "d" },
      { href: "/tokens", label: "Tokens", icon: KeyRound, key: "t" },
      { href: "/payment-methods", label: "Cards", icon: CreditCard, key: "c" },
    ],
  },
  {
    title: "Work",
    sections: [
      { href: "/playground", label: "Playground", icon: ListVideo, key: "l" },
      { href: "/activity", label: "Activity", icon: Rows3, key: "y" },
      { href: "/doctor", label: "Doctor", icon: Search, key: "o" },
      { href: "/settings/api-keys", label: "API keys", icon: SquareTerminal, key: "k" },
    ],
  },
];

export const SECTIONS: readonly Section[] = SECTION_GROUPS.flatMap(({ sections }) => sections);

/** The section a path lies in. */
export const sectionOf = (path: string): Section | undefined =>
  SECTIONS.find(({ href }) => path === href || path.startsWith(`${href}/`));
