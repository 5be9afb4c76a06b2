"use client";

import { failedPage } from "@/components/page-failed.tsx";

export default failedPage({ what: "The agent" });
