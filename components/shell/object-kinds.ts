import type { SearchKind } from "@/lib/console/search.ts";
import type { IconName } from "../ui/icon.tsx";

/** What each kind of object is called, alone and in a list, and its icon. */
export const OBJECT_KINDS: Record<SearchKind, { one: string; many: string; icon: IconName }> = {
  agent: { one: "Agent", many: "Agents", icon: "agents" },
  plan: { one: "Plan", many: "Plans", icon: "plans" },
  customer: { one: "Customer", many: "Customers", icon: "wallet" },
  subscription: { one: "Subscription", many: "Subscriptions", icon: "subscriptions" },
  delegation: { one: "Delegation", many: "Delegations", icon: "gauge" },
  token: { one: "Access token", many: "Access tokens", icon: "key" },
  order: { one: "Order", many: "Orders", icon: "card" },
  request: { one: "Request", many: "Requests", icon: "activity" },
  apiKey: { one: "API key", many: "API keys", icon: "console" },
};
