// `npm run public:llms`: writes `public/llms.txt` and `public/llms-full.txt` from the operations and errors of the protocol.
import { writeFileSync } from "node:fs";
import { llmsFullTxt, llmsTxt } from "./llms-txt.ts";

writeFileSync("public/llms.txt", llmsTxt());
writeFileSync("public/llms-full.txt", llmsFullTxt());
