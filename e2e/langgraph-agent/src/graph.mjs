import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { noteGraphRun } from "./spans.mjs";

const State = Annotation.Root({ text: Annotation, words: Annotation });

/** Counts the words of a text, and fails without any. */
export const graph = new StateGraph(State)
  .addNode("count", ({ text }) => {
    noteGraphRun();
    const words = text.split(/\s+/).filter(Boolean).length;
    if (words === 0) throw new Error("The text has no words.");
    return { words };
  })
  .addEdge(START, "count")
  .addEdge("count", END)
  .compile();
