/** A test for texts in lower case that have every word of a search; each has those of an empty one. */
export function finds(search: string): (text: string) => boolean {
  const words = search.toLowerCase().split(/\s+/);
  return (text) => words.every((word) => text.includes(word));
}
