export { atOnce, type Chunked as Sliced, Chunks as Slices, chunked as inSlices } from "./chunked.js";
