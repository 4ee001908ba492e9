/** The number in the id of a logged entry, which is a letter and a number that counts up; 0 without an id. */
export const numberOf = (id: string | null | undefined): number => Number(id?.slice(1) ?? 0);
