import { reasonOf } from "../kernel/os-errors.js";
import { PersistenceUnavailableError } from "../sandbox/durable.js";

/** What the store of several processes answers. @throws PersistenceUnavailableError with the reason where it does not */
export async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new PersistenceUnavailableError(`the store of the sandboxes does not answer: ${reasonOf(error)}`);
  }
}
