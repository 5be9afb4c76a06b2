/** What the list of requests can be filtered by. */
export type FilterField =
  | ("planId" | "agentId" | "money" | "httpStatus")
  | ("payer" | "tokenId" | "cause" | "search");

export const FILTER_FIELDS: { field: FilterField; label: string }[] = [
  { field: "money", label: "Payment status" },
  { field: "httpStatus", label: "HTTP status" },
  { field: "planId", label: "Plan" },
  { field: "agentId", label: "Agent" },
  { field: "cause", label: "Cause" },
  { field: "payer", label: "Customer" },
  { field: "tokenId", label: "Access token" },
  { field: "search", label: "Request ID" },
];
