/** What the list of requests can be filtered by. */
export type FilterField = "planId" | "agentId" | "money" | "httpStatus" | "payer" | "search";

export const FILTER_FIELDS: { field: FilterField; label: string }[] = [
  { field: "money", label: "Payment status" },
  { field: "httpStatus", label: "HTTP status" },
  { field: "planId", label: "Plan" },
  { field: "agentId", label: "Agent" },
  { field: "payer", label: "Payer" },
  { field: "search", label: "Request ID" },
];
