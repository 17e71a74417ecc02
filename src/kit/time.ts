/** The last time that a 32-bit client can read. Access for life has this end. */
export const lastUnixSecond = 0x7fffffff;

/** Unix seconds for responses. 0 means no time, because existing clients decode integers. */
export function unixSeconds(instant: Date | null): number {
  return instant === null ? 0 : Math.floor(instant.getTime() / 1000);
}
