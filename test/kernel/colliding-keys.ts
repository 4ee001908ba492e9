/** Words that common hashes of 32 bits take for one another, each with the one before or after it. */
const ALIKE = ["liquid", "costarring", "declinate", "macallums", "altarage", "zinke"];
export const COLLIDING = ALIKE.flatMap((word) => [word, `${word}1`, `${word}22`]);
