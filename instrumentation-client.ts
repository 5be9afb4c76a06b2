import { config } from "zod";

// Zod would write faster parsers with `new Function`, which the content security policy refuses and reports.
config({ jitless: true });
