/** The present. Business rules ask here and nowhere else, so that a merchant's own time has one place to come from. */
export function now(): Date {
  return new Date();
}
