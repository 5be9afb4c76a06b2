import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { SECTIONS } from "./sections.ts";

export type Crumb = { href: string; label: string };

const WORDS: Record<string, string> = {
  api: "API reference",
  confirm: "Confirm address",
  mailbox: "Mailbox",
  budgets: "Budgets",
  audit: "Audit log",
  new: "New",
  "new-version": "New version",
  p: "Plans",
  profile: "Profile",
  endpoints: "Endpoints",
  plans: "Plans",
  checks: "Checks",
  code: "Code",
  settings: "Settings",
  errors: "Errors",
  receipts: "Receipts",
  reconcile: "Reconcile",
  inspect: "Inspect",
  payouts: "Payouts",
  refunds: "Refunds",
  disputes: "Disputes",
  withdraw: "Withdraw USDC",
  statements: "Statements",
  invoices: "Invoice",
};
const NO_PAGE = [
  "/settings",
  "/a",
  "/p",
  "/s",
  "/docs",
  "/receipts",
  "/checkout",
  "/balance/orders",
  "/balance/invoices",
];

/** What an id below a path without a page is the id of. */
const KINDS: Record<string, string> = { "/receipts": "Receipt", "/s": "Shared run" };

/** The parents of a path, as links. Ids are shortened until the page tells its name. */
export function crumbsOf(path: string): Crumb[] {
  const parts = path.split("/").filter(Boolean);
  return parts
    .map((part, index) => {
      const href = `/${parts.slice(0, index + 1).join("/")}`;
      const section = SECTIONS.find((section) => section.href === href);
      const kind = KINDS[href.slice(0, -part.length - 1)];
      const id = shortenIdentifier(decodeURIComponent(part));
      return { href, label: section?.label ?? WORDS[part] ?? (kind ? `${kind} ${id}` : id) };
    })
    .filter(({ href }) => !NO_PAGE.includes(href));
}

export function objectOf(path: string): { href: string; id: string } | undefined {
  const [, section = "", part = ""] = path.split("/");
  const isObject =
    part !== "" && !WORDS[part] && SECTIONS.some(({ href }) => href === `/${section}`);
  return isObject ? { href: `/${section}/${part}`, id: decodeURIComponent(part) } : undefined;
}
