export const STEPS = [
  { name: "definition", title: "Definition", next: "Continue to endpoints" },
  { name: "endpoints", title: "Endpoints", next: "Continue to access" },
  { name: "access", title: "Access", next: "Continue to plans" },
  { name: "plans", title: "Plans", next: "Continue to review" },
  { name: "review", title: "Review and register", next: "Register agent" },
] as const;

export type StepName = (typeof STEPS)[number]["name"];
export const STEP_NAMES = STEPS.map(({ name }) => name);

/** The fields that must be right before the next step opens. */
export const STEP_FIELDS = {
  definition: [
    "url",
    "about.name",
    "about.description",
    "about.author",
    "about.license",
    "about.tags",
    "definitionUrl",
  ],
  endpoints: ["rows"],
  access: ["access.username", "access.token", "access.headers"],
  plans: ["planIds"],
  review: [],
} as const satisfies Record<StepName, readonly string[]>;

const STEP_OF: Record<string, StepName> = { rows: "endpoints", access: "access", planIds: "plans" };

export const stepOfField = (path: string): StepName =>
  STEP_OF[path.split(".")[0] ?? ""] ?? "definition";
