import { reasonOf } from "../kernel/os-errors.js";
import { NotKept } from "../sandbox/durable.js";

/** What the store of several processes answers. @throws NotKept with the reason where it does not */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new NotKept(`the store of the sandboxes does not answer: ${reasonOf(error)}`);
  }
}
