// `npm run public:llms`: writes `public/llms.txt` from the operations and errors of the protocol.
import { writeFileSync } from "node:fs";
import { llmsTxt } from "./llms-txt.ts";

writeFileSync("public/llms.txt", llmsTxt());
