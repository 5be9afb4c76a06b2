import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { noteGraphRun } from "./spans.mjs";

const State = Annotation.Root({ text: Annotation, words: Annotation });

/** Counts the words of a text. */
export const graph = new StateGraph(State)
  .addNode("count", ({ text }) => {
    noteGraphRun();
    return { words: text.split(/\s+/).filter(Boolean).length };
  })
  .addEdge(START, "count")
  .addEdge("count", END)
  .compile();
