"use client";

import { failedPage } from "@/components/page-failed.tsx";

export default failedPage({ title: "Agent", what: "The agent" });
